"""The methods that can be compared: names, classes and optional packages."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from minerva_select.checks import check_choice
from minerva_select.errors import InputError, InputTypeError, brief
from minerva_select.preprocessing.column_types import CategoricalFeatures

INSTALL = "pip install 'minerva-select[paper]'"


@dataclass(frozen=True)
class Method:
    """A method of feature selection.

    Attributes
    ----------
    name, label : str
        Its name on the command line, and in tables.
    selector : str
        Its class, as ``"module:class"``, imported when it is built. The class is a scikit-learn selector with the
        parameters ``n_features_to_select``, ``categorical_features``, ``target_type`` and ``random_state``, and the
        fitted attribute ``selection_``.
    settings : mapping
        Further parameters of the class.
    package : str, optional
        The optional package that it imports.
    has_time_limit : bool
        Whether it takes ``device`` and ``time_limit``, and returns its best answer so far when the time is up.

    Examples
    --------
    >>> Method("mine", "My method", "my_package.selectors:MySelector", settings={"depth": 3}).label
    'My method'
    """

    name: str
    label: str
    selector: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    package: str | None = None
    has_time_limit: bool = False


METHODS: Mapping[str, Method] = {
    method.name: method
    for method in (
        Method("minerva", "MINERVA", "minerva_select.selectors:MinervaSelector", has_time_limit=True),
        Method("minerva-paper", "MINERVA, paper", "minerva_select.selectors:PaperSelector", has_time_limit=True),
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
    """Look up methods by name; None gives all but Algorithm 1 of the paper."""
    wanted = DEFAULT_METHODS if methods is None else methods
    if isinstance(wanted, str):
        raise InputError(f"methods is the string {brief(wanted)}; pass a list of names, such as [{brief(wanted)}].")
    if not isinstance(wanted, Collection) or getattr(wanted, "ndim", 1) == 0:
        raise InputTypeError(f"methods must be a list of names, got {brief(wanted)}.")
    if not len(wanted):  # it may be an array
        raise InputError("methods is empty; pass at least one name, or None for all methods.")
    return tuple({method.name: method for method in map(_find, wanted)}.values())


def is_installed(method: str | Method) -> bool:
    """Whether the optional package of a method, if any, is installed."""
    package = _find(method).package
    return package is None or importlib.util.find_spec(package) is not None


def build(
    method: str | Method,
    *,
    n_features: int | None = None,
    seed: int = 0,
    categorical_features: CategoricalFeatures = "auto",
    target_type: str = "auto",
    device: str = "auto",
    time_limit: float | None = None,
) -> Any:
    """Create the selector of a method, with its defaults for all other parameters.

    Parameters
    ----------
    method : str or Method
        Its name, or a method of your own.
    n_features : int, optional
        Number of features to keep; None lets the method decide.
    seed : int
        Its ``random_state``.
    categorical_features, target_type
        As in :class:`minerva_select.MinervaSelector`.
    device, time_limit
        For the methods that have these parameters.

    Examples
    --------
    >>> build("minerva", n_features=3, time_limit=60)
    MinervaSelector(n_features_to_select=3, random_state=0, time_limit=60)
    """
    method = _find(method)
    module, name = method.selector.split(":")
    selector = getattr(importlib.import_module(module), name)
    own = {"device": device, "time_limit": time_limit} if method.has_time_limit else {}
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
