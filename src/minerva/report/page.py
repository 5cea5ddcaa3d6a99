"""The page: which sections a selection has, and what each of them holds."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import resources
from typing import Any

import jinja2

from minerva.report import ranking, text
from minerva.results import Selection


@dataclass(frozen=True)
class Section:
    """One part of the page: its anchor, its title, and the values its block of the template shows."""

    name: str
    title: str
    values: Mapping[str, Any]


def render(selection: Selection) -> str:
    """Draw a selection as one HTML page that needs nothing else: no scripts, no requests.

    Parameters
    ----------
    selection : Selection
        What a fit handed back, or what :meth:`minerva.results.Selection.load` read.

    Returns
    -------
    str
        The page.

    Examples
    --------
    >>> from minerva.results import Estimate, FeatureResult
    >>> estimate = Estimate(0.5, 0.48, 0.52, n_rows=1000)
    >>> selection = Selection("y", (FeatureResult("<b>", True, "adds 0.500 nats"),), estimate, estimate, n_rows=1000)
    >>> page = render(selection)
    >>> "&lt;b&gt;" in page, "<script" in page
    (True, False)
    """
    sections = [section for build in SECTIONS if (section := build(selection)) is not None]
    return _template().render(selection=selection, sections=sections, digits=ranking.digits_for(selection))


def notices(selection: Selection) -> list[str]:
    """List what a reader should know: the warnings, or else that the fit had not settled, if so."""
    if selection.warnings or selection.converged:
        return list(selection.warnings)
    return ["The fit stopped before it had settled; the selection may still change with more time."]


def _figures(selection: Selection) -> Section:
    return Section(
        "figures",
        "",
        {
            "n_selected": len(selection.selected),
            "n_features": len(selection.features),
            "share_of_entropy": _share_of_entropy(selection),
        },
    )


def _warnings(selection: Selection) -> Section | None:
    warnings = notices(selection)
    return Section("warnings", "To know", {"warnings": warnings}) if warnings else None


def _features(selection: Selection) -> Section:
    results = selection.features
    vetted = any(result.contribution_nats is not None for result in results)
    return Section(
        "features",
        "Features",
        {
            "results": ranking.ranked(results),
            "shares": ranking.shares(results),
            "vetted": vetted,
            "weighted": not vetted and any(result.weight for result in results),
            "alone": any(result.marginal_nats is not None for result in results),
            "partners": any(result.partners for result in results),
            "stand_ins": any(result.stand_ins for result in results),
        },
    )


def _path(selection: Selection) -> Section | None:
    if not selection.path:
        return None
    most = max(point.nats for point in selection.path)
    points = [(point, _share(point.nats, most)) for point in selection.path]
    return Section("path", "Information as features are left out", {"points": points})


def _making(selection: Selection) -> Section:
    return Section("making", "How it was made", {"settings": selection.settings, "versions": selection.versions})


# The page top to bottom. A chart is one more function here and one more block in the template.
SECTIONS: list[Callable[[Selection], Section | None]] = [_figures, _warnings, _features, _path, _making]


def _share_of_entropy(selection: Selection) -> float | None:
    found = selection.mutual_information
    return None if found is None else _share(found.nats, selection.target_entropy)


def _share(part: float, whole: float | None) -> float | None:
    return min(1.0, max(0.0, part / whole)) if whole is not None and whole > 0 else None


def _template() -> jinja2.Template:
    environment = jinja2.Environment(
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_finalize,
    )
    environment.filters.update(
        amount=text.amount, duration=text.duration, interval=text.interval, listing=text.listing, setting=_setting
    )
    return environment.from_string(resources.files(__package__).joinpath("page.html.j2").read_text(encoding="utf-8"))


def _finalize(value: Any) -> Any:
    """Control characters are no valid HTML, wherever they come from."""
    return text.printable(value) if isinstance(value, str) and not hasattr(value, "__html__") else value


def _setting(value: Any) -> str:
    """Value of a setting in words."""
    if value is None:
        return "not set"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list | tuple):
        return text.listing(tuple(str(item) for item in value), most=20) or "none"
    if isinstance(value, Mapping):
        return json.dumps(value, ensure_ascii=False, default=str)
    return str(value)
