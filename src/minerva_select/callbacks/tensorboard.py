"""Log a fit to TensorBoard."""

from __future__ import annotations

import html
import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from minerva_select.callbacks.base import Callback
from minerva_select.callbacks.metrics import StepCounter, record_metrics, selection_metrics
from minerva_select.errors import InputError, MissingPackageError
from minerva_select.results import Progress, Selection
from minerva_select.text.feature_order import sort_features
from minerva_select.text.formatting import NOT_MEASURED, interval, number

if TYPE_CHECKING:
    from torch.utils.tensorboard import SummaryWriter


class TensorBoard(Callback):
    """Write events for TensorBoard, one run per fit.

    Scalars are the bound, the held-out bound and the number of features of every stage, by training step, and at the
    end the information found and the contribution of each selected feature. Texts are the parameters, and the selected
    features with their reasons.

    Parameters
    ----------
    log_dir : path
        Folder of the runs ``fit-1``, ``fit-2`` and so on, for ``tensorboard --logdir``.

    Examples
    --------
    >>> from minerva_select import MinervaSelector
    >>> selector = MinervaSelector(callbacks=[TensorBoard("runs")])
    """

    _writer: SummaryWriter | None = None
    _steps: StepCounter

    def __init__(self, log_dir: str | os.PathLike[str]) -> None:
        self.log_dir = log_dir

    def on_begin(self, settings: Mapping[str, Any]) -> None:
        """Start a run and write the parameters."""
        try:
            from torch.utils.tensorboard import SummaryWriter  # noqa: PLC0415 - an extra
        except ImportError:
            raise MissingPackageError(
                "The callback TensorBoard needs the package tensorboard; install it with "
                "pip install 'minerva-select[tensorboard]'."
            ) from None
        self._steps = StepCounter()
        self._writer = SummaryWriter(str(_new_folder(Path(self.log_dir))), flush_secs=10)
        self._writer.add_text("settings", _table(("parameter", "value"), list(settings.items())))

    def __call__(self, progress: Progress) -> None:
        """Write the metrics of one line of the training history."""
        if self._writer is not None and progress.record is not None:
            _write(self._writer, record_metrics(progress.record), self._steps.update(progress.record))

    def on_end(self, selection: Selection | None) -> None:
        """Write the selection and end the run."""
        if self._writer is None:
            return
        if selection is not None:
            _write(self._writer, selection_metrics(selection), self._steps.total)
            self._writer.add_text("selection", _describe(selection), self._steps.total)
        self._writer.close()
        self._writer = None


def _write(writer: SummaryWriter, metrics: Mapping[str, float], step: int) -> None:
    for name, value in metrics.items():
        writer.add_scalar(name, value, step)


def _new_folder(log_dir: Path) -> Path:
    """Create a folder for one run; other processes may create runs in the same ``log_dir``."""
    number = 1
    while True:
        folder = log_dir / f"fit-{number}"
        try:
            folder.mkdir(parents=True)
        except FileExistsError:
            number += 1
        except OSError as error:
            raise InputError(f"log_dir of TensorBoard cannot be written ({error}); choose another folder.") from None
        else:
            return folder


def _describe(selection: Selection) -> str:
    """Headline and table of the selected features, largest contribution first."""
    rows = [
        (
            result.feature,
            number(result.contribution_nats, 4),
            interval(result.contribution_low, result.contribution_high, 4) or NOT_MEASURED,
            str(result.reason),
        )
        for result in sort_features(selection.features)
        if result.selected
    ]
    table = _table(("feature", "contribution, nats", "95% interval", "reason"), rows)
    return f"{_escape(selection.headline)}\n\n{table}" if rows else _escape(selection.headline)


def _table(header: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    """Markdown table whose cells are shown as plain text."""
    lines = [header, ["---"] * len(header), *([_escape(str(cell)) for cell in row] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _escape(text: str) -> str:
    """Escape Markdown and HTML."""
    return re.sub(r"([\\`*_{}\[\]()#+.!|-])", r"\\\1", html.escape(" ".join(text.split()), quote=False))
