"""Run the paper's experiments again, and set the results next to the paper's."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable
from pathlib import Path

from minerva_select.errors import MissingPackageError
from minerva_select.evaluation.methods import INSTALL
from minerva_select.evaluation.paper.configuration import EXPERIMENT_NAMES, Configuration, read_configuration
from minerva_select.evaluation.paper.tables import ResultTable
from minerva_select.evaluation.paper.tasks import run_tasks
from minerva_select.evaluation.records import Record, Records

__all__ = ["EXPERIMENT_NAMES", "Configuration", "ResultTable", "read_configuration", "reproduce"]

_MODULES = {"a": "experiment_a", "b": "experiment_b", "fraud": "fraud", "mine": "mine"}


def reproduce(
    configuration: Configuration,
    records: Records,
    data: Path | None = None,
    report: Callable[[str, float], None] = lambda _label, _fraction: None,
) -> tuple[list[ResultTable], list[Record]]:
    """Run the tasks of an experiment that are not on record, and return its tables and the records of its rows."""
    experiment = importlib.import_module(f"{__name__}.{_MODULES[configuration.name]}")
    missing = [package for package in experiment.REQUIRED if importlib.util.find_spec(package) is None]
    if missing:
        raise MissingPackageError(
            f"minerva reproduce {configuration.name} needs the package {missing[0]}; install it with: {INSTALL}"
        )
    tasks = experiment.make_tasks(configuration, data)
    found = run_tasks(tasks, experiment.run_task, records, configuration["limit"], report)
    return experiment.make_tables(configuration, found), found
