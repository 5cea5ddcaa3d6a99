"""How much of everything a fit takes, from the number of rows alone."""

from __future__ import annotations

from dataclasses import dataclass

from minerva_select.mi.training import Schedule
from minerva_select.runtime.device import MAX_THREADS


@dataclass(frozen=True)
class FitConfig:
    """Sizes of a fit. Few rows: many folds, small critics, much regularisation; many rows: the other way round."""

    n_folds: int  # 1: a split of its own for vetting; else every row is vetted once
    n_members: int  # critics a fold, trained side by side
    n_tune_parts: int  # each member tunes on one such part of the training rows, its own, and trains on the others
    width: int
    dropout: float
    schedule: Schedule
    max_threads: int = 1
    n_pairs: int = 0  # pairs of columns that critics are told of

    @classmethod
    def for_rows(cls, n_rows: int, n_informative: int | None = None) -> FitConfig:
        """The plan for a table of this length, of which only so many rows say much: the positives, where few are."""
        n_informative = n_rows if n_informative is None else min(n_rows, n_informative)
        if n_rows >= 20_000 and n_informative < 10_000:  # every positive is needed for vetting
            schedule = Schedule(max_steps=500, batch_size=512, weight_decay=0.1)
            return cls(n_folds=4, n_members=1, n_tune_parts=5, width=64, dropout=0.1, schedule=schedule, n_pairs=32)
        if n_rows >= 20_000:
            schedule = Schedule(max_steps=500, batch_size=512 if n_rows < 100_000 else 2048, weight_decay=0.01)
            return cls(
                n_folds=1,
                n_members=1,
                n_tune_parts=5,
                width=128,
                dropout=0.0,
                schedule=schedule,
                max_threads=MAX_THREADS,
                n_pairs=32,
            )
        if n_rows >= 5_000:
            schedule = Schedule(max_steps=800, batch_size=512, weight_decay=0.1)
            return cls(n_folds=3, n_members=1, n_tune_parts=5, width=64, dropout=0.1, schedule=schedule)
        if n_rows >= 1_000:
            schedule = Schedule(max_steps=600, batch_size=256, weight_decay=1.0)
            return cls(n_folds=3, n_members=3, n_tune_parts=3, width=64, dropout=0.3, schedule=schedule)
        if n_rows >= 100:
            schedule = Schedule(max_steps=400, batch_size=128, weight_decay=1.0)
            return cls(n_folds=5, n_members=3, n_tune_parts=3, width=64, dropout=0.3, schedule=schedule)
        schedule = Schedule(max_steps=75, batch_size=32, weight_decay=1.0, patience=2, patience_at_zero=3)
        return cls(n_folds=3, n_members=2, n_tune_parts=2, width=32, dropout=0.3, schedule=schedule)
