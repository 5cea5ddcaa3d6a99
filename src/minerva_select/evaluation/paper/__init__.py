"""The paper's experiments, computed again: their tables, with the paper's figures beside ours."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable
from pathlib import Path

from minerva_select.errors import MissingPackageError
from minerva_select.evaluation.methods import INSTALL
from minerva_select.evaluation.paper.cells import run_cells
from minerva_select.evaluation.paper.configuration import NAMES, Configuration, read_configuration
from minerva_select.evaluation.paper.tables import FigureTable
from minerva_select.evaluation.records import Record, Records

__all__ = ["NAMES", "Configuration", "FigureTable", "read_configuration", "reproduce"]

_MODULES = {"a": "experiment_a", "b": "experiment_b", "fraud": "fraud", "mine": "mine"}


def reproduce(
    configuration: Configuration,
    records: Records,
    data: Path | None = None,
    tell: Callable[[str, float], None] = lambda _label, _done: None,
) -> tuple[list[FigureTable], list[Record]]:
    """Compute an experiment's figures, but for those on record, and return its tables and the records of its rows.

    Parameters
    ----------
    configuration : Configuration
        From :func:`read_configuration`.
    records : Records
        Finished rows; new ones are added.
    data : Path, optional
        The authors' data of Experiment A, or a file of payments; generated when not given.
    tell : callable
        Called with the name of each row and the share of the work that is done.
    """
    experiment = importlib.import_module(f"{__name__}.{_MODULES[configuration.name]}")
    missing = [package for package in experiment.NEEDS if importlib.util.find_spec(package) is None]
    if missing:
        raise MissingPackageError(
            f"{configuration.command} needs the package {missing[0]}, which is not installed; "
            f"install it with: {INSTALL}"
        )
    found = run_cells(experiment.cells(configuration, data), experiment.perform, records, configuration["limit"], tell)
    return experiment.tables(configuration, found), found
