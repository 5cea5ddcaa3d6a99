"""The steps of the solvers, and the size of a fit."""

from __future__ import annotations

from dataclasses import dataclass, replace

from minerva_select.config.models import Schedule


@dataclass(frozen=True)
class VettingConfig:
    """Tests on held-out rows."""

    level: float = 0.05  # probability that anything at all is selected from pure noise
    permutation_level: float = 0.025  # the part of it for the permutation tests, and
    support_level: float = 0.025  # for the test of all columns together, if no column is proven
    more_support_level: float = (
        0.05  # of that test where some columns are proven: a miss costs more than a needless column
    )


VETTING = VettingConfig()


@dataclass(frozen=True)
class SearchConfig:
    """Screen, learn, sparsify: which units are worth vetting."""

    min_screen_rows: int = 2000  # rows that the screen counts at least
    majority_ratio: int = 50  # rows of the largest class per other row, of which pairs are counted
    min_cell_rows: float = 2.0  # rows per cell of a pair and a class, below which numeric columns have fewer bins
    n_few_bins: int = 4  # in the screen
    n_screen_pairs: int = 64  # pairs that the screen returns
    max_screened_units: int = 64  # units that the screen may propose
    max_screened_share: float = 0.8  # of all units; if it proposes more, critics of all units are enough
    null_margin: float = 2.0  # z-scores added to the expected maximum of null statistics, which are skewed
    max_learned_units: int = 300  # with more units, the critic of all units sees only those with the best screen
    exhausted_share: float = 0.05  # of the bound of the screened units, that trees or additive models of those must add
    full_share: float = 0.99  # of the target's entropy on the tuning rows: a set that reaches it needs no larger one
    wider_share: float = 0.95  # of the bound of the chosen set that a wider set must reach to replace it
    prune_rows: int = 4096  # tuning rows of a permutation importance
    missed_z: float = 1.0  # importance below which a unit is dropped, with several folds
    missed_z_single_fold: float = 2.0  # the same with one fold
    loss_z: float = 1.0  # loss of a smaller set that counts as a loss, and
    loss_share: float = 0.005  # its least share of the larger set's bound


SEARCH = SearchConfig()


@dataclass(frozen=True)
class EliminationConfig:
    """Backward elimination on held-out rows, and critics trained with masked units that measure interactions."""

    full_share: float = 0.4  # share of training rows that show every unit
    one_out_share: float = 0.3  # share that hide exactly one unit; the rest hide a random subset
    max_hidden_share: float = 0.6  # largest expected share of units that a random subset hides
    min_share: float = 0.005  # of all information; a unit that contributes less is dropped, however certain
    masked_steps: int = 200  # training steps of the masked critics
    refit_steps: int = 150  # of critics without one unit, which start from masked critics; or,
    few_units: int = 2  # for at most so many units,
    refit_steps_unmasked: int = 300  # from the critics of the search
    refit_patience: int = 2  # evaluations in a row without a better bound, for both
    nested_steps: int = 150  # of masked critics on nested subsets
    drop_fraction: int = 4  # one unit in this many is dropped per step when units are ordered by masked critics
    partner_share: float = 0.5  # of a unit's contribution that vanishes without its partner


ELIMINATION = EliminationConfig()


@dataclass(frozen=True)
class SupportConfig:
    """Which units are kept in addition to the proven ones."""

    first_share: float = 0.005  # of all information, that the other columns must add for any to be added
    left_share: float = 0.003  # of all information, that the dropped columns may add for certain; or
    left_errors: float = 0.5  # standard errors that they may add by an estimate that is not significant
    min_gain_errors: float = 1.0  # standard errors by which the added columns must tell more than the proven ones alone
    patience: int = 4  # factor by which the size may grow without more information before the search ends
    min_sets: int = 10  # that there must be time for
    drop_share: float = 0.3  # of the ranked units that each refit drops
    few_units: int = 8  # from here on, one at a time
    max_units: int = 300  # that a refit compares; of more, those with the best screen
    max_ranked: int = 32  # dropped units that are ranked by refits; the others by their importance to a model of all
    n_singles: int = 5  # units at the head of the ranking that compete to be the best one alone


SUPPORT = SupportConfig()


@dataclass(frozen=True)
class SubsampleConfig:
    """Tuning and held-out rows of large tables."""

    max_tuning_rows: int = 20_000  # over all folds
    max_held_out_rows: int = 100_000  # over all folds
    rows_per_second: int = 1_500  # of either kind, under a time limit
    min_rows: int = 5_000  # of either kind, however short the time limit


SUBSAMPLE = SubsampleConfig()


@dataclass(frozen=True)
class TimeConfig:
    """Shares of the remaining time that the stages of a fit may use under a time limit."""

    screen: float = 0.3  # of all folds together
    search: float = 0.7  # screen, learn and sparsify
    permutation: float = 0.6  # permutation test on held-out rows
    masked_training: float = 0.5  # training of the masked critics, before elimination
    paper_learning: float = 0.5  # first stage of Algorithm 1
    min_vet_seconds: float = 2.0  # for the permutation test, however late it is


TIME_SHARES = TimeConfig()


@dataclass(frozen=True)
class FitConfig:
    """Size of a fit: few rows get many folds and small, regularized critics; many rows the reverse."""

    n_folds: int  # 1: one split into training and held-out rows; else every row is held out once
    n_members: int  # critics per fold, trained side by side
    n_tune_parts: int  # each member tunes on one such part of the training rows and trains on the others
    width: int  # of the critics' hidden layers
    dropout: float  # share of hidden values
    schedule: Schedule
    max_threads: int = 1  # of the CPU
    n_pairs: int = 0  # pairs of columns that the critics get as extra inputs

    @classmethod
    def for_rows(cls, n_rows: int, n_informative: int | None = None) -> FitConfig:
        """Configure a fit by its number of rows; with a rare class, ``n_informative`` of them count."""
        n_informative = n_rows if n_informative is None else min(n_rows, n_informative)
        if n_rows >= 20_000 and n_informative < 10_000:  # too few positives to hold some of them out for good
            schedule = Schedule(max_steps=500, batch_size=512, weight_decay=0.1)
            return cls(n_folds=4, n_members=1, n_tune_parts=5, width=64, dropout=0.1, schedule=schedule, n_pairs=32)
        if n_rows >= 20_000:
            schedule = Schedule(max_steps=500, batch_size=512 if n_rows < 100_000 else 2048, weight_decay=0.01)
            config = cls(n_folds=1, n_members=1, n_tune_parts=5, width=128, dropout=0.0, schedule=schedule)
            return replace(config, max_threads=64, n_pairs=32)
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


@dataclass(frozen=True)
class PaperSettings:
    """Coefficients of eq. 9 and of Algorithm 1."""

    sparsity: float = 0.05  # c1; the paper has 1
    norm_drift: float = 1.0  # c2
    target_norm: float = 1.0  # a
    learning_rate: float = 1e-3  # r of the network; the paper has 1e-4
    weight_rate: float = 0.02  # r of p: at 0.05 the norm falls faster than the network can follow
    max_weight_step: float = 0.01  # change of a weight in one step, as a share of their norm; a typical one is 0.001
    threshold: float = 1e-5  # epsilon
    batch_size: int = 1000  # n
    max_steps_learn: int = 2000  # of the first stage
    max_steps_sparsify: int = 3000  # of the second stage
    patience: int = 8  # evaluations in a row without a better bound end the first stage
    settled_after: int = 16  # evaluations in a row with the same weights above zero end the second stage
    min_kept_share: float = 0.5  # of the bound of stage one; below it, stage two is repeated with half of c1,
    max_attempts: int = 3  # at most so many times in all
