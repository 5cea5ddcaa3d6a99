"""A fit in TensorBoard."""

from __future__ import annotations

import html
import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from minerva_select.callbacks.base import Callback
from minerva_select.callbacks.metrics import RunningStep, record_amounts, selection_amounts
from minerva_select.errors import InputError, MissingPackageError
from minerva_select.results import Progress, Selection

if TYPE_CHECKING:
    from torch.utils.tensorboard import SummaryWriter


class TensorBoard(Callback):
    """Write what a fit tells as events for TensorBoard, as a run of its own for every fit.

    Scalars are the bound, the held-out bound and the features left of every stage, over the steps of all trainings; at
    the end what was found, and what each selected feature contributes. Texts are the parameters, and the selected
    features with their reasons.

    Parameters
    ----------
    log_dir : path
        Folder of the runs ``fit-1``, ``fit-2`` and so on; the one to give to ``tensorboard --logdir``.

    Examples
    --------
    >>> from minerva_select import MinervaSelector
    >>> selector = MinervaSelector(callbacks=[TensorBoard("runs")])
    """

    _writer: SummaryWriter | None = None
    _step: RunningStep

    def __init__(self, log_dir: str | os.PathLike[str]) -> None:
        self.log_dir = log_dir

    def on_begin(self, settings: Mapping[str, Any]) -> None:
        """Open a run and write the parameters."""
        try:
            from torch.utils.tensorboard import SummaryWriter  # noqa: PLC0415 - an extra
        except ImportError:
            raise MissingPackageError(
                "The callback TensorBoard needs the package tensorboard; install it with "
                "pip install 'minerva-select[tensorboard]'."
            ) from None
        self._step = RunningStep()
        self._writer = SummaryWriter(str(_new_folder(Path(self.log_dir))), flush_secs=10)
        self._writer.add_text("settings", _table(("parameter", "value"), list(settings.items())))

    def __call__(self, progress: Progress) -> None:
        """Write the amounts of a line of the training history."""
        if self._writer is not None and progress.record is not None:
            _write(self._writer, record_amounts(progress.record), self._step.of(progress.record))

    def on_end(self, selection: Selection | None) -> None:
        """Write what was found, and close the run."""
        if self._writer is None:
            return
        if selection is not None:
            _write(self._writer, selection_amounts(selection), self._step.last)
            self._writer.add_text("selection", _selected(selection), self._step.last)
        self._writer.close()
        self._writer = None


def _write(writer: SummaryWriter, amounts: Mapping[str, float], step: int) -> None:
    for name, value in amounts.items():
        writer.add_scalar(name, value, step)


def _new_folder(log_dir: Path) -> Path:
    """A folder for one run that no other fit writes to, be it in another process."""
    number = 1
    while True:
        folder = log_dir / f"fit-{number}"
        try:
            folder.mkdir(parents=True)
        except FileExistsError:
            number += 1
        except OSError as error:
            raise InputError(f"TensorBoard's log_dir cannot be written to ({error}); give another folder.") from None
        else:
            return folder


def _selected(selection: Selection) -> str:
    """The answer, and the selected features with the largest contributions first."""
    features = [result for result in selection.features if result.selected]
    features.sort(key=lambda result: -(result.contribution_nats or 0.0))
    rows = [
        (
            result.feature,
            _nats(result.contribution_nats),
            f"{_nats(result.contribution_low)} to {_nats(result.contribution_high)}",
            str(result.reason),
        )
        for result in features
    ]
    table = _table(("feature", "adds, nats", "95% interval", "why"), rows)
    return f"{_escape(selection.headline)}\n\n{table}" if rows else _escape(selection.headline)


def _nats(amount: float | None) -> str:
    return "-" if amount is None else f"{amount:.4f}"


def _table(header: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    """A table in Markdown, of cells that are shown as they are."""
    lines = [header, ["---"] * len(header), *([_escape(str(cell)) for cell in row] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _escape(text: str) -> str:
    """A text on one line that neither Markdown nor HTML takes for markup."""
    return re.sub(r"([\\`*_{}\[\]()#+.!|-])", r"\\\1", html.escape(" ".join(text.split()), quote=False))
