"""Compare a selection with the known answer of its table."""

from collections.abc import Sequence
from typing import Any

from correlated.tables import Table
from minerva_select.evaluation import score_selection

Figures = dict[str, Any]


def score_units(table: Table, selected: Sequence[str]) -> Figures:
    """Count what is lost, kept twice or irrelevant.

    ``right``: of every unit one of its equivalent columns is kept and nothing else of it, and nothing irrelevant is
    kept. ``right_ignoring_coarse`` allows coarse versions next to the column that determines them.
    """
    if table.any_of:
        return _score_any_of(table, selected)
    kept = set(selected)
    known = {name for unit in table.relevant for name in (*unit.columns, *unit.coarse)}
    n_kept = [len(kept & set(unit.columns)) for unit in table.relevant]
    n_coarse = [len(kept & set(unit.coarse)) for unit in table.relevant]
    figures = {
        "n_selected": len(kept),
        "n_lost": sum(n == 0 for n in n_kept),
        "n_coarse_only": sum(n == 0 and coarse > 0 for n, coarse in zip(n_kept, n_coarse, strict=True)),
        "n_twice": sum(n > 1 for n in n_kept),
        "n_coarse_too": sum(coarse for n, coarse in zip(n_kept, n_coarse, strict=True) if n),
        "n_irrelevant": len(kept - known),
    }
    lenient = not (figures["n_lost"] or figures["n_twice"] or figures["n_irrelevant"])
    return figures | {"right": lenient and not figures["n_coarse_too"], "right_ignoring_coarse": lenient}


def score_blanket(table: Table, selected: Sequence[str]) -> Figures:
    """Precision, recall and F1 of the selection as an estimate of the Markov blanket."""
    found = score_selection(selected, tuple(name for unit in table.relevant for name in unit.columns))
    figures = {"n_selected": len(selected), "n_lost": len(found.false_negatives)}
    figures |= {"n_irrelevant": len(found.false_positives), "right": found.is_exact}
    return figures | {"precision": found.precision, "recall": found.recall, "f1": found.f1}


def _score_any_of(table: Table, selected: Sequence[str]) -> Figures:
    """Right is any selection of relevant columns that is not empty."""
    kept, known = set(selected), {name for unit in table.relevant for name in unit.columns}
    right = bool(kept) and kept <= known
    return {"n_selected": len(kept), "n_irrelevant": len(kept - known), "right": right}
