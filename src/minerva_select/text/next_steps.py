"""What a reader of a selection can do next."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from minerva_select.codes import WarningCode
from minerva_select.text.formatting import join_names

if TYPE_CHECKING:
    from minerva_select.results import Selection

_MOST_NAMED = 3
_EXAMPLE_COUNT = 5


@dataclass(frozen=True)
class NextStep:
    """A sentence, and the code that does what it says."""

    text: str
    code: str = ""


def next_steps(selection: Selection) -> list[NextStep]:
    """List what can be done with a selection: as commands if one made it, otherwise in Python."""
    with_command = selection.provenance is not None and bool(selection.provenance.command)
    steps = [*_settle_leaks(selection), *_use_kept(selection, with_command=with_command)]
    steps += _resize(selection, with_command=with_command)
    if selection.proven and selection.supporting:
        option = "--proven-only" if with_command else "MinervaSelector(proven_only=True)"
        steps.append(NextStep("To keep the proven features alone, fit again with", option))
    if with_command and selection.repeats is None and selection.selected:
        steps.append(NextStep("To see whether the choice depends on these rows, fit again with", "--repeats 10"))
    return steps


def _settle_leaks(selection: Selection) -> list[NextStep]:
    leaks = [warning for warning in selection.warnings if warning.code is WarningCode.LEAK]
    names = list(dict.fromkeys(name for warning in leaks for name in warning.columns))
    if not names:
        return []
    are, them = ("is", "it") if len(names) == 1 else ("are", "those that are not")
    return [
        NextStep(
            f"First find out whether {join_names(names, _MOST_NAMED)} {are} known before the outcome. If not, drop "
            f"{them} and fit again: next to a leak, other features seem to add nothing."
        )
    ]


def _use_kept(selection: Selection, *, with_command: bool) -> list[NextStep]:
    if not selection.selected:
        return []
    if with_command:
        text = "To train a model with the kept features, copy their names above, or write a query that reads them:"
        return [NextStep(text, "minerva report selection.json --sql TABLE")]
    return [
        NextStep("To train a model with the kept features, copy their names above, or use", "selector.transform(X)")
    ]


def _resize(selection: Selection, *, with_command: bool) -> list[NextStep]:
    if selection.ranking is None or len(selection.features) < 2:
        return []
    counts = (_EXAMPLE_COUNT, _EXAMPLE_COUNT - 1, 1, len(selection.features))  # possible, and not as many as now
    k = next(k for k in counts if k <= len(selection.features) and k != len(selection.selected))
    code = f"minerva report selection.json --n-features {k}" if with_command else f"selection.with_n_features({k})"
    text = f"For another number of features, such as {k}, without another fit"
    if len(selection.path) > 1:
        text += " (the information of each number is below)"
    return [NextStep(f"{text}:", code)]
