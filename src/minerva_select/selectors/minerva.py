"""MINERVA as a scikit-learn selector."""

from __future__ import annotations

import dataclasses
import os
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from minerva_select.checks import as_path
from minerva_select.data.frames import as_target
from minerva_select.data.memory_budget import MemoryBudget, rows_within_time_limit
from minerva_select.errors import InputError
from minerva_select.results import Progress, Provenance, TrainingRecord
from minerva_select.runtime.deadline import Deadline
from minerva_select.runtime.device import find_device, limit_threads
from minerva_select.runtime.distributed import SINGLE_PROCESS, ProcessGroup
from minerva_select.schema import Table
from minerva_select.selectors.base import TableSelector
from minerva_select.selectors.cross_validation import check_rows, find_strata
from minerva_select.selectors.fit_context import Request, plain
from minerva_select.selectors.out_of_core import Stream, open_stream
from minerva_select.selectors.paper import run_paper
from minerva_select.selectors.parameters import (
    as_generator,
    check_count,
    check_parameters,
    check_sample_weight,
    check_still_varies,
)
from minerva_select.selectors.progress import Audience
from minerva_select.selectors.row_metadata import read_origins
from minerva_select.selectors.row_sample import Drawn, draw
from minerva_select.selectors.run_directory import Workplace, run_key, table_fingerprint
from minerva_select.selectors.usable_columns import Groups, Participants, canonical_order, choose_participants
from minerva_select.selectors.vetting import run_vetting
from minerva_select.solvers.paper import PaperSettings

_GRACE = 5.0  # seconds from the wish to stop to the end: to test what was found so far


class MinervaSelector(TableSelector):
    """Select the features that carry information about a target, together.

    Finds features that matter alone and features that matter only jointly, drops what others make superfluous, and
    says for every feature how much it contributes on rows that training never saw.

    Parameters
    ----------
    n_features_to_select : int or None
        How many features to keep (a group counts as one); None finds out.
    categorical_features : "auto" or list of str
        Columns that are names rather than amounts. "auto": text, booleans, categories, and whole numbers with few
        distinct values.
    target_type : {"auto", "discrete", "continuous"}
        How to read the target.
    keep, drop : sequence of str
        Columns to keep, or to leave out, whatever they carry.
    feature_groups : mapping of str to list of str, or list of lists, optional
        Columns that come or go together.
    redundant : {"drop", "keep"}
        Whether to drop columns that others can stand in for. Where ``n_features_to_select`` gives a number, the
        number decides.
    solver : {"vetting", "paper"}
        The default, or Algorithm 1 of the paper.
    sparsity, norm_drift, target_norm, learning_rate, threshold : float, optional
        The paper's c1, c2, a, r and epsilon; used by ``solver="paper"``. See docs/method.md for their defaults.
    device : str
        "auto", "cpu", "cuda", "mps", ...
    time_limit : float, optional
        Seconds after which the best answer so far is given. Where they are too few to encode all rows, the fit is of
        rows drawn at random, with all of a rare value of the target, and a warning says so.
    random_state : int, RandomState or None
        The same seed gives the same answer, bit for bit on the CPU, whatever the order of the columns.
    max_memory : int or str, optional
        Memory that a fit may take, in bytes or as in ``"4GB"``; by default half of what is free. A table that takes
        more is encoded into files, block by block, and read from there.
    cache_dir : path, optional
        Folder for encoded rows and for the states of trainings, so that a run that is killed can be resumed; by default
        a temporary one for the rows, and none for the states.
    resume : bool
        Go on with what an earlier run of the same data, parameters and seed has left in ``cache_dir``.
    verbose : int
        Log the progress.
    callbacks : sequence of callables
        Each is called with a :class:`.Progress` during the fit; where one returns True, the fit ends
        soon, with the best answer so far. See :mod:`minerva_select.callbacks` for ready ones.

    Attributes
    ----------
    selection_ : Selection
        What was kept, what was dropped, why, and how sure that is.
    support_ : ndarray of bool
        Mask of the selected features.
    weights_ : ndarray of float
        One non-negative number a feature; 0 is dropped.
    history_ : tuple of TrainingRecord
        The loss's terms and the held-out bound through all stages.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Examples
    --------
    The target is whether two columns are equal: neither tells anything alone.

    >>> from minerva_select import MinervaSelector
    >>> from minerva_select.problems import equality
    >>> problem = equality(n_samples=20_000, n_features=6, relevant=(1, 4), random_state=0)
    >>> selector = MinervaSelector(random_state=0).fit(problem.X, problem.y)
    >>> selector.get_feature_names_out().tolist()
    ['f1', 'f4']
    """

    def __init__(
        self,
        n_features_to_select: int | None = None,
        *,
        categorical_features: str | Sequence[str] = "auto",
        target_type: str = "auto",
        keep: Sequence[str] = (),
        drop: Sequence[str] = (),
        feature_groups: Groups = None,
        redundant: str = "drop",
        solver: str = "vetting",
        sparsity: float | None = None,
        norm_drift: float | None = None,
        target_norm: float | None = None,
        learning_rate: float | None = None,
        threshold: float | None = None,
        device: str = "auto",
        time_limit: float | None = None,
        random_state: int | np.random.RandomState | None = None,
        max_memory: int | str | None = None,
        cache_dir: str | os.PathLike[str] | None = None,
        resume: bool = False,
        verbose: int = 0,
        callbacks: Sequence[Callable[[Progress], object]] = (),
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.categorical_features = categorical_features
        self.target_type = target_type
        self.keep = keep
        self.drop = drop
        self.feature_groups = feature_groups
        self.redundant = redundant
        self.solver = solver
        self.sparsity = sparsity
        self.norm_drift = norm_drift
        self.target_norm = target_norm
        self.learning_rate = learning_rate
        self.threshold = threshold
        self.device = device
        self.time_limit = time_limit
        self.random_state = random_state
        self.max_memory = max_memory
        self.cache_dir = cache_dir
        self.resume = resume
        self.verbose = verbose
        self.callbacks = callbacks

    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        groups: Any = None,
        times: Any = None,
        ranks: ProcessGroup = SINGLE_PROCESS,
    ) -> Self:
        """Find the features of X that carry information about y.

        Parameters
        ----------
        X : table
            numpy, pandas, polars or Arrow; missing values and text are welcome. Also what need not fit in memory: lazy
            frames, Arrow datasets, iterables of record batches, and :func:`.open_source` of any file.
        y : column or columns
            Classes (of any type) or amounts, without missing values.
        sample_weight : array of shape (n_rows,), optional
            How much each row counts; rows of weight 0 are left out.
        groups : column of any type, optional
            Which rows belong together, such as the customer of each: one label a row. Rows of a group are never
            divided between training and vetting, and count as one observation where it comes to how sure an answer is.
        times : column of numbers or dates, optional
            When each row happened. Earlier rows then train, and the latest rows vet. With ``groups`` too, later
            rows of a group that was met before are left out.
        ranks : ProcessGroup, optional
            The processes that torchrun started, from :func:`.distributed.joined`. Each is given the same table
            and computes with a part of its rows; of what does not fit in memory it reads that part alone.

        Returns
        -------
        MinervaSelector
            The fitted selector.
        """
        start = time.monotonic()
        with limit_threads(), Audience(self.callbacks, self.verbose, self.time_limit) as audience:
            request = self._request(X, y, sample_weight, groups, times, ranks, audience, start)
            selection = run_paper(request, self._paper_settings()) if self.solver == "paper" else run_vetting(request)
            selection = dataclasses.replace(
                selection,
                features=request.with_notes(selection.features),
                seconds=time.monotonic() - start,
                provenance=request.provenance,
            )
            self._finish(selection)
            self.weights_: NDArray[np.float64] = np.array([result.weight for result in selection.features])
            self.history_: tuple[TrainingRecord, ...] = selection.history
            audience.end(selection)
        return self

    def _request(
        self,
        X: Any,
        y: Any,
        sample_weight: Any,
        groups: Any,
        times: Any,
        ranks: ProcessGroup,
        audience: Audience,
        start: float,
    ) -> Request:
        """Check everything at the door, once, and say what the solver is to do."""
        table, target, stream, drawn = self._open(X, y, ranks, audience)
        n_rows = target.n_rows
        weights = check_sample_weight(sample_weight, n_rows)
        origins = read_origins(groups, times, n_rows)
        device = find_device(str(self.device)) if ranks.size == 1 else ranks.device
        data = table_fingerprint(table) if stream is None else stream.source.fingerprint
        if drawn is not None:
            table = table.take(drawn.rows) if stream is None else table
            target, weights = target.take(drawn.rows), weights[drawn.rows] / drawn.shares
            origins, stream = origins.take(drawn.rows), None
            check_still_varies(target)
        if (weights == 0).any() and stream is None:  # of a stream these rows stay, and count for nothing
            counted = np.flatnonzero(weights)
            table, target, weights = table.take(counted), target.take(counted), weights[counted]
            origins = origins.take(counted)
            check_still_varies(target)
        check_rows(target.n_rows)
        rng = ranks.broadcast(as_generator(self.random_state))
        parameters = self.get_params(deep=False)
        settings = plain({name: value for name, value in parameters.items() if name not in ("callbacks", "verbose")})
        workplace = Workplace()
        if self.cache_dir is not None or stream is not None:
            workplace = Workplace(self._cache, self.resume, run_key(data, target, weights, rng, settings))
        participants = choose_participants(table, self.categorical_features, self.keep, self.drop, self.feature_groups)
        audience.begin(settings)
        return Request(
            table=table,
            target=target,
            target_kind=self.target_type,
            participants=participants,
            order=tuple(canonical_order(table.select(participants.names))),
            weights=weights,
            origins=origins,
            n_wanted=_wanted(self.n_features_to_select, participants),
            keep_redundant=self.redundant == "keep" and self.n_features_to_select is None,
            rng=rng,
            device=device,
            deadline=Deadline(
                None if self.time_limit is None else float(self.time_limit),
                ranks.broadcast,
                lambda: audience.stop_wanted,
                start,
                grace=_GRACE,
            ),
            on_record=audience.tell_record,
            stream=stream,
            drawn_from=None if drawn is None else n_rows,
            ranks=ranks,
            workplace=workplace,
            settings=settings,
            provenance=Provenance(
                created=datetime.now(UTC).isoformat(timespec="seconds"),
                fingerprint=data,
                n_columns=len(table.columns) + len(target.columns),
                device=str(device),
            ),
        )

    def _open(
        self, X: Any, y: Any, ranks: ProcessGroup, audience: Audience
    ) -> tuple[Table, Table, Stream | None, Drawn | None]:
        """The table and the target; of a table beyond the memory a sample, and the stream of all its rows.

        Where the time is too short for all rows, also those to do with: of a stream, the sample is made of them.
        """
        check_parameters(self.get_params(deep=False))
        if self.resume and self.cache_dir is None:
            raise InputError("resume=True needs to know where the work was left; give the cache_dir of that run too.")
        stream, X = open_stream(X, MemoryBudget.of(self.max_memory), self._cache, audience.tell_rows, ranks)
        if stream is None:
            table = self._read(X)
            check_count(self.n_features_to_select, len(table.columns))
            target = as_target(y, table.n_rows)
            at_most = rows_within_time_limit(table.n_rows, len(table.columns), self.time_limit)
            drawn = draw(find_strata(target, self.target_type), at_most) if at_most < table.n_rows else None
            return table, target, None, drawn
        n_rows, n_columns = stream.source.n_rows, len(stream.source.names)
        check_count(self.n_features_to_select, n_columns)
        if self.solver == "paper":
            raise InputError(
                f"solver='paper' needs the whole table in memory, and {stream.source.nbytes:,} bytes do not fit; "
                "give more memory, fewer rows, or use solver='vetting'."
            )
        target = as_target(y, n_rows)
        at_most = rows_within_time_limit(n_rows, n_columns, self.time_limit)
        drawn = stream.draw(find_strata(target, self.target_type), at_most)
        table = stream.take(drawn.rows)
        self._remember(X, table.names)
        return table, target, stream, drawn if at_most < n_rows else None

    @property
    def _cache(self) -> Path | None:
        return None if self.cache_dir is None else as_path("cache_dir", self.cache_dir)

    def _paper_settings(self) -> PaperSettings:
        names = ("sparsity", "norm_drift", "target_norm", "learning_rate", "threshold")
        given = {name: float(getattr(self, name)) for name in names if getattr(self, name) is not None}
        return dataclasses.replace(PaperSettings(), **given)  # type: ignore[arg-type]


def _wanted(n_features: int | None, participants: Participants) -> int | None:
    """How many of the fitted units to select."""
    if n_features is None:
        return None
    if n_features < participants.n_kept:
        raise InputError(
            f"n_features_to_select is {n_features}, but keep names {participants.n_kept} (a group counts as one); "
            "ask for at least as many or keep fewer."
        )
    return n_features - len(participants.kept & participants.reasons.keys())
