"""The methods that are compared: what each is called, which class it is, and what it needs."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from minerva_select.checks import check_choice
from minerva_select.errors import InputError, InputTypeError, brief

INSTALL = "pip install 'minerva-select[paper]'"


@dataclass(frozen=True)
class Method:
    """A way to select features.

    Attributes
    ----------
    name, label : str
        How it is typed, and how it is called in tables.
    selector : str
        Its class, as ``"module:class"``; loaded when it is built. The class is a scikit-learn selector with the
        parameters ``n_features_to_select``, ``categorical_features``, ``target_type`` and ``random_state``, and has a
        ``selection_``.
    settings : mapping
        Parameters of the class beyond those that every method is given.
    package : str, optional
        The package that it needs beyond those that MINERVA needs itself, as it is imported.
    ends_itself : bool
        Whether it takes ``device`` and ``time_limit``, and ends with the best answer so far when time is up.
    """

    name: str
    label: str
    selector: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    package: str | None = None
    ends_itself: bool = False


METHODS: Mapping[str, Method] = {
    method.name: method
    for method in (
        Method("minerva", "MINERVA", "minerva_select.selectors:MinervaSelector", ends_itself=True),
        Method("minerva-paper", "MINERVA, paper", "minerva_select.selectors:PaperSelector", ends_itself=True),
        Method("ksg", "KSG", "minerva_select.selectors:KSGSelector"),
        Method("hsic-lasso", "HSIC Lasso", "minerva_select.selectors:HSICLassoSelector"),
        Method("boruta", "Boruta", "minerva_select.selectors:BorutaSelector", package="boruta"),
        Method("rfe", "RFE", "minerva_select.selectors:RFESelector", package="lightgbm"),
        Method("forest", "Random Forest", "minerva_select.selectors:RandomForestSelector"),
        Method("foci", "FOCI", "minerva_select.selectors:FOCISelector"),
        Method("mrmr", "mRMR", "minerva_select.selectors:MRMRSelector"),
        Method("lasso", "Lasso", "minerva_select.selectors:LassoSelector"),
        Method("boosting", "Boosting gain", "minerva_select.selectors:GradientBoostingSelector", package="lightgbm"),
    )
}
DEFAULT_METHODS = tuple(name for name in METHODS if name != "minerva-paper")


def find_methods(methods: Sequence[str | Method] | None = None) -> tuple[Method, ...]:
    """Methods by name; None gives all but Algorithm 1 of the paper. A method of one's own may stand among the names.

    Examples
    --------
    >>> [method.label for method in find_methods(["minerva", "ksg"])]
    ['MINERVA', 'KSG']
    >>> find_methods(["lasoo"])
    Traceback (most recent call last):
        ...
    minerva_select.errors.InputError: There is no method 'lasoo'; did you mean 'lasso'?
    """
    wanted = DEFAULT_METHODS if methods is None else methods
    if isinstance(wanted, str):
        raise InputError(f"methods is the string {brief(wanted)}; pass a list of names, such as [{brief(wanted)}].")
    if not isinstance(wanted, Collection) or getattr(wanted, "ndim", 1) == 0:
        raise InputTypeError(f"methods must be a list of names, got {brief(wanted)}.")
    if not len(wanted):  # an array has no truth of its own
        raise InputError("methods names no method; name at least one, or leave it out for all of them.")
    found = {method.name: method for method in map(_find, wanted)}
    return tuple(found.values())


def why_unavailable(method: str | Method) -> str | None:
    """Why a method cannot run here, with the remedy, or None when it can.

    Examples
    --------
    >>> why_unavailable("minerva") is None
    True
    >>> why_unavailable(Method("other", "Other", "other:Selector", package="no_such_package"))
    "not installed: pip install 'minerva-select[paper]'"
    """
    package = _find(method).package
    return None if package is None or importlib.util.find_spec(package) else f"not installed: {INSTALL}"


def build(
    method: str | Method,
    *,
    n_features: int | None = None,
    seed: int = 0,
    categorical_features: str | Sequence[str] = "auto",
    target_type: str = "auto",
    device: str = "auto",
    time_limit: float | None = None,
) -> Any:
    """Build the selector of a method, with its own settings for all else; ``fit(X, y)`` is left to do.

    Parameters
    ----------
    method : str or Method
        Its name, or a method of one's own.
    n_features : int, optional
        How many features to keep; None leaves it to the method.
    seed : int
        Seed of all its draws.
    categorical_features, target_type
        How to read the columns and the target, as in :class:`minerva_select.MinervaSelector`.
    device, time_limit
        For the methods that take them: MINERVA's.

    Examples
    --------
    >>> build("minerva", n_features=3, time_limit=60)
    MinervaSelector(n_features_to_select=3, random_state=0, time_limit=60)
    """
    method = _find(method)
    module, name = method.selector.split(":")
    selector = getattr(importlib.import_module(module), name)
    own = {"device": device, "time_limit": time_limit} if method.ends_itself else {}
    return selector(
        n_features_to_select=n_features,
        categorical_features=categorical_features,
        target_type=target_type,
        random_state=seed,
        **own,
        **method.settings,
    )


def _find(method: str | Method) -> Method:
    if isinstance(method, Method):
        return method
    check_choice("method", method, METHODS)
    return METHODS[method]
