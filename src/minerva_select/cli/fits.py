"""Fits of ``minerva select``: the one that gives the selection, and its repetitions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from minerva_select.cli.columns import ROW_OPTIONS, check_count, check_target
from minerva_select.cli.opened_table import OpenedTable
from minerva_select.cli.verbosity import logger
from minerva_select.errors import InputError
from minerva_select.results import Progress, Selection


@dataclass(frozen=True)
class Fit:
    """Data and parameters of a fit.

    Attributes
    ----------
    X : source
        Features.
    y : pyarrow.Table
        Target.
    row_arguments : mapping
        Arguments ``groups``, ``times`` and ``sample_weight`` of ``fit``.
    parameters : mapping
        Parameters of the selector.
    solver : {"vetting", "paper"}
        Which selector is fitted.
    """

    X: Any
    y: Any
    row_arguments: Mapping[str, Any]
    parameters: Mapping[str, Any]
    solver: str

    @classmethod
    def from_options(cls, table: OpenedTable, parameters: Mapping[str, Any], solver: str) -> Fit:
        """Split the table by the options that name columns."""
        X, y = table.split()
        check_count(parameters["n_features_to_select"], len(X.names), table.named["--keep"])
        if solver == "paper" and not table.source.fits_in_memory:
            raise InputError(
                "--solver paper needs the table in memory, but it does not fit; raise --memory, give fewer rows, or "
                "use --solver vetting."
            )
        arguments = zip(("groups", "times", "sample_weight"), map(table.row_values, ROW_OPTIONS), strict=True)
        row_arguments = {argument: values for argument, values in arguments if values is not None}
        if "sample_weight" in row_arguments:
            row_arguments["sample_weight"] = row_arguments["sample_weight"].column(0)
        of_columns = {
            **table.type_parameters(X.names),
            "keep": table.named["--keep"],
            "drop": table.named["--drop"],
        }
        target = y.read()
        check_target(target)
        return cls(X, target, row_arguments, {**of_columns, **parameters}, solver)

    def run(self, callbacks: Sequence[Callable[[Progress], object]]) -> Selection:
        """Fit the selector and return its selection."""
        selector = self._selector(callbacks=callbacks, **self.parameters)
        selection: Selection = selector.fit(self.X, self.y, **self.row_arguments).selection_
        return selection

    def repeat(
        self,
        selection: Selection,
        *,
        n_fits: int,
        subsample: float | None,
        n_jobs: int,
        show: Callable[[Progress], object],
    ) -> Selection:
        """Return the selection with the share of repeated fits that select each feature."""
        from minerva_select.evaluation import repeat_fits, with_frequencies

        def report(progress: Progress) -> None:
            n_done = round(progress.fraction * n_fits)
            show(Progress(f"repeat {min(n_done + 1, n_fits)} of {n_fits}", progress.fraction))
            logger.info("%d of %d repeats done", n_done, n_fits)

        report(Progress("repeat", 0.0))
        # A checkpoint belongs to one fit, so the repeats have none
        parameters = {**self.parameters, "cache_dir": None, "resume": False, "verbose": 0}
        repeats = repeat_fits(
            self._selector(**parameters),
            self.X.read(),
            self.y,
            n_repeats=n_fits,
            subsample=subsample,
            random_state=parameters["random_state"],
            n_jobs=n_jobs,
            progress=report,
        )
        return with_frequencies(selection, repeats, subsample)

    def _selector(self, **parameters: Any) -> Any:
        from minerva_select import selectors

        return (selectors.PaperSelector if self.solver == "paper" else selectors.MinervaSelector)(**parameters)


def check_repeatable(table: OpenedTable, n_processes: int) -> None:
    """Raise if the fit cannot be repeated."""
    if not table.source.fits_in_memory:
        raise InputError("--repeats needs the table in memory, but it does not fit; raise --memory or give fewer rows.")
    if n_processes > 1:
        raise InputError("--repeats cannot be combined with torchrun; run one process.")
    for option in ROW_OPTIONS:
        if table.named[option]:
            raise InputError(f"--repeats cannot be combined with {option}; remove one of them.")
