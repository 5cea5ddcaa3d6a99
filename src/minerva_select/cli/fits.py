"""The fits of ``minerva select``: the one that answers, and those that repeat it to see how the answer holds."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from minerva_select.cli.columns import sides, split_categorical, take, whole
from minerva_select.cli.processes import Processes
from minerva_select.cli.verbosity import logger
from minerva_select.errors import InputError
from minerva_select.results import Progress, Selection

OF_ROWS = ("--group-column", "--time-column", "--weight-column")  # options of columns that say something of the rows
Named = Mapping[str, Sequence[str]]


@dataclass(frozen=True)
class RepeatPlan:
    """How often to fit again, on which share of the rows, and how many at a time.

    Examples
    --------
    >>> RepeatPlan.asked(10, subsample=0.5)
    RepeatPlan(n_fits=10, subsample=0.5, n_jobs=1)
    >>> RepeatPlan.asked(None) is None
    True
    """

    n_fits: int
    subsample: float | None
    n_jobs: int

    @classmethod
    def asked(cls, n_fits: int | None, subsample: float | None = None, n_jobs: int = 1) -> RepeatPlan | None:
        """Read the options; None where no repeats are asked for."""
        if n_fits is None:
            for option, is_given in (("--subsample", subsample is not None), ("--jobs", n_jobs != 1)):
                if is_given:
                    raise InputError(f"{option} is about repeats; give --repeats too, such as --repeats 10.")
            return None
        for option, number in (("--repeats", n_fits), ("--jobs", n_jobs)):
            if number < 1:
                raise InputError(f"{option} must be a whole number above 0; it is {number}.")
        if subsample is not None and not 0 < subsample < 1:
            raise InputError(f"--subsample must be a share between 0 and 1; it is {subsample:g}.")
        return cls(n_fits, subsample, n_jobs)

    def check(self, table: Any, named: Named, ranks: Processes) -> None:
        """Refuse what cannot be repeated, before the first fit."""
        if not table.fits_in_memory:
            raise InputError(
                "--repeats needs the whole table in memory, and it does not fit; give more --memory or fewer rows."
            )
        if ranks.size > 1:
            raise InputError("--repeats runs in one process; leave torchrun away, or leave --repeats away.")
        for option in OF_ROWS:
            if named[option]:
                raise InputError(f"--repeats cannot be used with {option}, which the repeats would not heed; drop one.")


@dataclass(frozen=True)
class Fits:
    """What the fits of one command have in common.

    Attributes
    ----------
    X, y : table
        Features and target.
    of_rows : mapping
        What the selector is told of the rows, as arguments of its ``fit``.
    parameters : mapping
        Parameters of the selector.
    solver : {"vetting", "paper"}
        Which selector is fitted.
    """

    X: Any
    y: Any
    of_rows: Mapping[str, Any]
    parameters: Mapping[str, Any]
    solver: str = "vetting"

    @classmethod
    def of(cls, table: Any, named: Named, parameters: Mapping[str, Any], solver: str) -> Fits:
        """The fits to the columns that the options name."""
        apart = [name for option in ("--ignore", *OF_ROWS) for name in named[option]]
        X, y = sides(table, named["--target"], apart)
        categories, target_kind = split_categorical(named["--categorical"], named["--target"])
        of_columns = {
            "categorical_features": categories,
            "target_type": target_kind,
            "keep": named["--keep"],
            "drop": named["--drop"],
        }
        return cls(X, y, _about_rows(table, named), {**of_columns, **parameters}, solver)

    def answer(self, callbacks: tuple[Callable[[Progress], object], ...]) -> Selection:
        """The first fit, whose selection is reported."""
        selector = self._selector(callbacks=callbacks, **self.parameters)
        selection: Selection = selector.fit(self.X, self.y, **self.of_rows).selection_
        return selection

    def repeat(self, selection: Selection, repeats: RepeatPlan, show: Callable[[Progress], object]) -> Selection:
        """The answer with how often each feature is selected when the fit is repeated."""
        from minerva_select.evaluation import repeat_fits, with_frequencies

        def tell(n_done: int) -> None:
            show(Progress(f"repeat {min(n_done + 1, repeats.n_fits)} of {repeats.n_fits}", n_done / repeats.n_fits))
            logger.info("%d of %d repeats done", n_done, repeats.n_fits)

        tell(0)
        # A checkpoint is of one fit, and here are many; callbacks belong to the first
        parameters = {**self.parameters, "cache_dir": None, "resume": False, "verbose": 0}
        found = repeat_fits(
            self._selector(**parameters),
            whole(self.X),
            self.y,
            n_repeats=repeats.n_fits,
            subsample=repeats.subsample,
            random_state=parameters["random_state"],
            n_jobs=repeats.n_jobs,
            progress=lambda moment: tell(round(moment.fraction * repeats.n_fits)),
        )
        return with_frequencies(selection, found, repeats.subsample)

    def _selector(self, **parameters: Any) -> Any:
        from minerva_select import selectors

        kind = selectors.PaperSelector if self.solver == "paper" else selectors.MinervaSelector
        return kind(**parameters)


def _about_rows(table: Any, named: Named) -> dict[str, Any]:
    arguments = {"--group-column": "groups", "--time-column": "times"}
    columns = {argument: whole(take(table, named[option])) for option, argument in arguments.items() if named[option]}
    if named["--weight-column"]:
        columns["sample_weight"] = whole(take(table, named["--weight-column"])).column(0)
    return columns
