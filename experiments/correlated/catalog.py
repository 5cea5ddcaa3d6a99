"""All cases of the study: the tables, how many there are, and how a fit is scored."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from correlated import contributions, friedman, noise, paths
from correlated.known import KNOWN, load_known, truth_cases
from correlated.scoring import Figures, score_blanket, score_units
from correlated.tables import Table

Draw = Callable[[int, Path | None], Table]


@dataclass(frozen=True)
class Case:
    """One line of the details; the cases of a group share a line of the summary."""

    name: str
    group: str
    title: str
    n_tables: int
    n_quick: int
    draw: Draw
    score: Callable[[Table, Sequence[str]], Figures] | None = score_units
    files: tuple[str, ...] = ()
    sizes: tuple[int | None, ...] = (None,)  # n_features_to_select of the fits of a table
    measure: Callable[[Table, Any, int], Figures] | None = None  # further figures, from the selection and the seed

    def missing_files(self, data: Path | None) -> list[str]:
        """Required files that are not in the data folder."""
        return [name for name in self.files if data is None or not (data / name).exists()]


def score_friedman(table: Table, selected: Sequence[str]) -> Figures:
    """Score units, and add the share of the signal's variance that is lost."""
    return score_units(table, selected) | {"signal_lost": friedman.signal_lost(table, selected)}


def _generated(draw: Callable[[int], Table]) -> Draw:
    return partial(_draw_without_data, draw)


def _draw_without_data(draw: Callable[[int], Table], seed: int, data: Path | None) -> Table:
    return draw(seed)


def _friedman_cases() -> Iterable[Case]:
    three_copies = partial(friedman.near_copies, n_copies=3)
    for name, group, title, n_tables, draw in (
        ("near_copies", "near_copies", "Friedman, a near-copy of every column", 20, friedman.near_copies),
        ("three_copies", "many_copies", "Friedman, three near-copies of every column", 10, three_copies),
        ("coarse", "many_copies", "Friedman, binned and one-hot versions", 10, friedman.coarse_versions),
    ):
        yield Case(name, group, title, n_tables, 2 if name == "near_copies" else 1, _generated(draw), score_friedman)


def _noise_cases() -> Iterable[Case]:
    for name, group, title, n_tables, draw in (
        ("noise_independent", "noise", "independent noise, 400 and 5,000 x 31", 60, noise.independent_noise),
        ("noise_correlated", "noise", "correlated noise, 300 to 2,000 rows", 200, noise.correlated_noise),
        ("noise_doubled", "noise_doubled", "correlated noise, every row twice", 20, noise.doubled_noise),
        ("noise_wide", "noise_wide", "correlated noise, 600 to 2,000 columns", 20, noise.wide_noise),
    ):
        yield Case(name, group, title, n_tables, 2, _generated(draw))


def _truth_cases() -> Iterable[Case]:
    for name, n_tables in (("child3", 60), ("insurance", 27)):
        title = f"Markov blankets of {name}"
        files = truth_cases()[name].files
        yield Case(name, "blankets", title, n_tables, 1, partial(load_known, name), score_blanket, files)
    for name, (n_tables, n_quick) in KNOWN.items():
        case = truth_cases()[name]
        yield Case(name, "known", case.title, n_tables, n_quick, partial(load_known, name), files=case.files)


def _path_cases() -> Iterable[Case]:
    for name, draw in paths.TABLES.items():
        files = (paths.FILES[name][0],) if name in paths.FILES else ()
        title = f"path of {name}, k = 1 to 10"
        yield Case(f"path_{name}", "path", title, 1, 0, draw, None, files, paths.SIZES, measure=paths.record_path)


def _contribution_cases() -> Iterable[Case]:
    for name, (draw, n_tables, n_quick) in contributions.TABLES.items():
        title, measure = f"contributions on {name}", contributions.compare_contributions
        yield Case(
            f"contributions_{name}", "contributions", title, n_tables, n_quick, _generated(draw), measure=measure
        )


def load_catalog() -> dict[str, Case]:
    """Return all cases by name, in the order of the summary."""
    cases = (
        *_friedman_cases(), *_noise_cases(), *_truth_cases(), *_path_cases(), *_contribution_cases(),
    )  # fmt: skip
    return {case.name: case for case in cases}
