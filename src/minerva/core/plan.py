"""How much of everything a fit takes, from the number of rows alone."""

from __future__ import annotations

from dataclasses import dataclass

from minerva.core.training import Schedule


@dataclass(frozen=True)
class Plan:
    """Sizes of a fit. Few rows: many folds, small critics, much regularisation; many rows: the other way round."""

    n_folds: int  # 1: a split of its own for vetting; else every row is vetted once
    n_members: int  # critics a fold, trained side by side
    width: int
    dropout: float
    schedule: Schedule

    @classmethod
    def for_rows(cls, n_rows: int) -> Plan:
        """The plan for a table of this length."""
        if n_rows >= 20_000:
            return cls(1, 1, 128, 0.0, Schedule(max_steps=500, batch_size=1024, weight_decay=0.01))
        if n_rows >= 5_000:
            return cls(2, 2, 128, 0.1, Schedule(max_steps=800, batch_size=512, weight_decay=0.1))
        if n_rows >= 1_000:
            return cls(3, 3, 64, 0.3, Schedule(max_steps=600, batch_size=256, weight_decay=1.0))
        if n_rows >= 100:
            return cls(5, 3, 64, 0.3, Schedule(max_steps=400, batch_size=128, weight_decay=1.0))
        return cls(
            3, 2, 32, 0.3, Schedule(max_steps=75, batch_size=32, weight_decay=1.0, patience=2, patience_at_zero=3)
        )
