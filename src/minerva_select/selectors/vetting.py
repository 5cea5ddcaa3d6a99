"""The default solver on a table, and its outcome in words."""

from __future__ import annotations

import torch

from minerva_select.data.encoded_rows import PackedRows, Rows
from minerva_select.mi.cross_fit import Target
from minerva_select.results import Selection, TrainingRecord, versions
from minerva_select.runtime.device import limit_threads
from minerva_select.runtime.rng import seeded_rng
from minerva_select.selectors.cross_validation import divide, encode, informative_rows, make_folds, share_out
from minerva_select.selectors.diagnostics import find_suspects, warnings_about
from minerva_select.selectors.estimation import as_estimate
from minerva_select.selectors.fit_context import Request, empty_selection
from minerva_select.selectors.result_builder import Findings
from minerva_select.solvers.fit_config import FitConfig
from minerva_select.solvers.vetting import VettingSolution, solve_vetting

STREAMED_TO_DEVICE = (
    "The rows do not fit in the memory of the device: they were sent to it batch by batch, which takes longer and "
    "changes nothing."
)


def run_vetting(request: Request) -> Selection:
    """Screen, learn, sparsify, vet."""
    if not request.order:
        return empty_selection(request)
    origins = request.origins
    n_informative = min(informative_rows(request.target, request.target_kind), origins.n_independent)
    plan = origins.adapt(FitConfig.for_rows(request.n_rows, n_informative))
    divisions = divide(request.target, request.target_kind, plan, request.rng, origins)
    units = request.units
    records: list[TrainingRecord] = []

    def on_record(record: TrainingRecord) -> None:
        records.append(record)
        request.on_record(record)

    table, kinds = request.table.select(request.order), request.participants.kinds
    if request.stream is None:
        x, shares = share_out(encode(table, kinds, divisions, request.device), request.n_rows, request.ranks)
    else:
        x, shares = request.stream.encode(table, kinds, request.workplace.key, request.device)
    seed, device = int(request.rng.integers(2**31)), request.device

    def solve(x: Rows) -> tuple[Target, VettingSolution]:
        records.clear()
        folds = make_folds(
            x,
            request.target,
            request.target_kind,
            request.weights,
            origins.groups,
            divisions,
            device,
            shares,
        )
        with limit_threads(plan.max_threads), seeded_rng(seed, device) as generator:
            run = request.run(generator, on_record)
            return folds[0].target, solve_vetting(
                folds, units, request.kept_units, plan, run, n_wanted=request.n_wanted
            )

    try:
        target, solution = solve(x)
    except torch.OutOfMemoryError:  # of the device: what its memory does not hold can still pass through it
        x = x.pack().to(torch.device("cpu")).streamed_to(request.device)
        target, solution = solve(x)
    findings = Findings(solution, units, request)
    n_rows, streamed = divisions[0].n_rows, isinstance(x, PackedRows) and x.taken_to is not None
    information, total = (
        as_estimate(evidence, target.entropy, 0.0, n_rows) for evidence in (solution.information, solution.total)
    )
    features, suspects = findings.results(), find_suspects(solution, request)
    warnings = (
        *request.warnings(n_rows, converged=solution.converged, still_rising=solution.still_rising),
        *warnings_about(suspects, request.target_name, {one.feature for one in features if one.selected}),
        *findings.doubts(),
    )
    return Selection(
        target=request.target_name,
        features=features,
        mutual_information=information,
        total_information=total,
        n_rows=n_rows,
        target_entropy=target.entropy if target.is_discrete else None,
        path=findings.path(information, total),
        history=tuple(records),
        converged=solution.converged,
        warnings=(*warnings, STREAMED_TO_DEVICE) if streamed else warnings,
        settings=request.settings,
        versions=versions(),
        pairs=findings.pairs(),
        suspects=suspects,
        weight_history=findings.weight_history(),
    )
