"""The default solver: screen, learn, sparsify, vet."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace

import torch
from torch import Tensor

from minerva_select.mi.cross_fit import Fold, vet_clusters
from minerva_select.mi.inference import Evidence, holm, weigh
from minerva_select.mi.pairwise_mi import Screen
from minerva_select.mi.training import Run
from minerva_select.solvers.attribution import Columns, Together, explain_columns, explain_units
from minerva_select.solvers.candidate_search import (
    Candidate,
    Workshop,
    by_promise,
    fit_candidates,
    propose,
    screen_fold,
    units_by_critics,
    with_pairs,
)
from minerva_select.solvers.elimination import Elimination, LeaveOut, eliminate
from minerva_select.solvers.fit_config import Plan
from minerva_select.solvers.permutation import falls_on_vet_rows
from minerva_select.solvers.subsample import thin

LEAST_SECONDS = 2.0  # for a test of what was proposed, however late it is
LEVEL = 0.05  # probability that anything at all is selected from pure noise


@dataclass(frozen=True)
class VettingSolution:
    """What the solver found, unit by unit."""

    screen: Screen  # of the first fold
    shuffled: dict[int, Evidence]  # fall under shuffling of every unit that was proposed
    survivors: list[int]
    elimination: Elimination | None  # None if nothing survived
    columns: Columns
    information: Evidence  # of the selected units
    total: Evidence  # of the largest set that was vetted
    converged: bool  # False when the time ran out
    together: Together = field(default_factory=Together)
    rounds: list[dict[int, float]] = field(default_factory=list)  # of sparsifying: nats each unit was missed by
    still_rising: bool = False  # whether longer training would find more information in the selected units

    @property
    def selected(self) -> list[int]:
        """Units that are kept."""
        return [] if self.elimination is None else self.elimination.kept


def solve_vetting(
    folds: list[Fold],
    units: list[list[int]],
    kept: list[int],
    plan: Plan,
    run: Run,
    *,
    n_wanted: int | None = None,
) -> VettingSolution:
    """Find the units that carry information together and that no others make superfluous."""
    deadline = run.deadline
    workshop = Workshop(units, kept, plan, replace(run, deadline=deadline.share(0.7)))
    # Screen, learn, sparsify: every fold proposes from its own training rows
    screens = [screen_fold(fold, deadline.share(0.3 / (len(folds) - k))) for k, fold in enumerate(folds)]
    folds = with_pairs(thin(folds, run.generator, deadline.seconds), screens, plan.n_pairs)
    proposals = propose(folds, screens, workshop)
    cut = workshop.run.deadline.passed
    # Vet, first by shuffling on rows that nothing has seen
    workshop.run = replace(run, deadline=deadline.share(0.6, at_least=LEAST_SECONDS))
    if math.isfinite(deadline.left):
        proposals = [
            replace(one, units=by_promise(one.units, found, workshop))
            for one, found in zip(proposals, screens, strict=True)
        ]
    shuffled = _shuffle(proposals, workshop)
    survivors = _survivors(shuffled, kept, len(units), screens[0], workshop, n_wanted)
    if not survivors:
        in_time = not (cut or deadline.passed)
        nothing, columns = Evidence(0.0, 0.0), explain_columns(folds, screens[0], [], in_time=in_time)
        return VettingSolution(
            screens[0], shuffled, [], None, columns, nothing, nothing, in_time, rounds=workshop.rounds
        )
    # Then by leaving one out, the least contribution first
    workshop.run = replace(run, deadline=deadline.share(0.5))
    vetting = LeaveOut(proposals, survivors, workshop)
    cut = cut or workshop.run.deadline.passed
    workshop.run = run
    elimination = eliminate(vetting, workshop, LEVEL, n_wanted)
    cut = cut or not elimination.in_time
    information, total, still_rising = _measure(elimination, proposals, workshop)
    # Explain: who tells what alone, who works with whom, what fewer would tell
    in_time = not deadline.passed
    columns = explain_columns(folds, screens[0], workshop.features_of(elimination.kept), in_time=in_time)
    together = explain_units(vetting, elimination, workshop) if in_time else Together(path=elimination.path)
    return VettingSolution(
        screens[0],
        shuffled,
        survivors,
        elimination,
        columns,
        information,
        total,
        in_time and not cut,
        together,
        workshop.rounds,
        still_rising,
    )


def _measure(
    elimination: Elimination, proposals: list[Candidate], workshop: Workshop
) -> tuple[Evidence, Evidence, bool]:
    """Information of what was kept and of all survivors, and whether training longer would find more of it.

    By critics of just these units; when the time is up, as the vet has found it.
    """
    if workshop.run.deadline.passed:
        return elimination.path[-1][1], elimination.path[0][1], False
    fitted = _fit_to(elimination.kept, proposals, workshop)
    information = _information(fitted)
    survivors = elimination.path[0][0]
    total = _information(_fit_to(survivors, proposals, workshop)) if elimination.dropped else information
    return information, total, information.z > 3.0 and not all(candidate.converged for candidate in fitted)


def _shuffle(proposals: list[Candidate], workshop: Workshop) -> dict[int, Evidence]:
    """Fall of every proposed unit over the vetting rows of all folds; 0 on rows whose fold did not propose it."""
    vetted = [proposal.fold.vet for proposal in proposals]
    offsets = torch.tensor([0, *(len(rows) for rows in vetted)]).cumsum(0)
    weights = torch.cat([proposal.fold.row_weights[rows] for proposal, rows in zip(proposals, vetted, strict=True)])
    clusters = vet_clusters([proposal.fold for proposal in proposals])
    falls: dict[int, Tensor] = {}
    for k, (proposal, of_units) in enumerate(zip(proposals, _falls(proposals, workshop), strict=True)):
        rows = slice(int(offsets[k]), int(offsets[k + 1]))
        for unit, fall in zip(proposal.units, of_units, strict=True):
            falls.setdefault(unit, torch.zeros_like(weights))[rows] = fall
    return {unit: weigh(fall, weights, clusters) for unit, fall in sorted(falls.items())}


def _falls(proposals: list[Candidate], workshop: Workshop) -> list[Tensor]:  # (n_units, n_rows) each
    """Falls of every proposal's units on its vetting rows, those of the same critics at once."""
    by_critics = {
        critics: falls_on_vet_rows(critics, units, workshop.run.generator, workshop.run.deadline)
        for critics, units in units_by_critics(proposals, workshop).items()
    }
    return [by_critics[proposal.critics][proposal.job] for proposal in proposals]


def _survivors(
    shuffled: dict[int, Evidence],
    kept: list[int],
    n_units: int,
    found: Screen,
    workshop: Workshop,
    n_wanted: int | None,
) -> list[int]:
    """Units whose fall is no accident, and those kept on request; with a number wanted, at least that many."""
    passed = holm([evidence.p_value for evidence in shuffled.values()], LEVEL, n_tests=n_units)
    survivors = {*kept, *(unit for unit, ok in zip(shuffled, passed, strict=True) if ok)}
    if n_wanted is not None and len(survivors) < n_wanted:
        screen_z = [max(float(found.marginal_z[feature]) for feature in features) for features in workshop.units]
        ranking = sorted(
            range(n_units), key=lambda u: (u not in shuffled, -shuffled[u].z if u in shuffled else -screen_z[u])
        )
        survivors.update([unit for unit in ranking if unit not in survivors][: n_wanted - len(survivors)])
    return sorted(survivors)


def _fit_to(units: list[int], proposals: list[Candidate], workshop: Workshop) -> list[Candidate]:
    """Critics of exactly these units, in every fold."""
    folds = [proposal.fold for proposal in proposals]
    return fit_candidates(folds, [units] * len(folds), workshop, "estimate", proposals) if units else []


def _information(fitted: list[Candidate]) -> Evidence:
    """Information of the units that these critics know, on the vetting rows."""
    if not fitted:
        return Evidence(0.0, 0.0)
    rows = [candidate.critics.vet_information()[candidate.job] for candidate in fitted]
    folds = [candidate.fold for candidate in fitted]
    weights = torch.cat([fold.row_weights[fold.vet] for fold in folds])
    return weigh(torch.cat(rows), weights, vet_clusters(folds))
