"""Run the vetting solver on a table and build the selection."""

from __future__ import annotations

import torch

from minerva_select.codes import WarningCode
from minerva_select.config import FitConfig
from minerva_select.data.encoded_rows import PackedRows, Rows
from minerva_select.mi.fold import Target
from minerva_select.results import Selection, SelectionWarning, TrainingRecord
from minerva_select.results.provenance import versions
from minerva_select.runtime.device import limit_threads
from minerva_select.runtime.rng import seeded_rng
from minerva_select.selectors.fold_splits import encode, informative_rows, make_folds, shard_rows, split_into_folds
from minerva_select.selectors.suspicious_columns import find_suspects, suspect_warnings
from minerva_select.selectors.estimation import as_estimate
from minerva_select.selectors.fit_context import FitContext, empty_selection
from minerva_select.selectors.result_builder import ResultBuilder
from minerva_select.solvers.vetting import VettingSolution, solve_vetting


def select_by_vetting(context: FitContext) -> Selection:
    """Screen, learn, sparsify, vet."""
    if not context.order:
        return empty_selection(context)
    row_metadata = context.row_metadata
    n_informative = min(informative_rows(context.target, context.target_types), row_metadata.n_independent)
    plan = row_metadata.adapt(FitConfig.for_rows(context.n_rows, n_informative))
    splits = split_into_folds(context.target, context.target_types, plan, context.rng, row_metadata)
    units = context.units
    records: list[TrainingRecord] = []

    def on_record(record: TrainingRecord) -> None:
        records.append(record)
        context.on_record(record)

    table, column_types = context.table.select(context.order), context.columns.column_types
    if context.stream is None:
        x, sharding = shard_rows(encode(table, column_types, splits, context.device), context.n_rows, context.ranks)
    else:
        x, sharding = context.stream.encode(table, column_types, context.run_directory.key, context.device)
    seed, device = int(context.rng.integers(2**31)), context.device

    def solve(x: Rows) -> tuple[Target, VettingSolution]:
        records.clear()
        folds = make_folds(
            x,
            context.target,
            context.target_types,
            context.weights,
            row_metadata.groups,
            splits,
            device,
            sharding,
        )
        with limit_threads(plan.max_threads), seeded_rng(seed, device) as generator:
            run = context.run(generator, on_record)
            return folds[0].target, solve_vetting(
                folds, units, context.kept_units, plan, run, n_to_select=context.n_features
            )

    try:
        target, solution = solve(x)
    except torch.OutOfMemoryError:  # keep the rows in main memory and send batches to the device
        x = x.pack().to(torch.device("cpu")).streamed_to(context.device)
        target, solution = solve(x)
    builder = ResultBuilder(solution, units, context)
    n_rows, streamed = splits[0].n_rows, isinstance(x, PackedRows) and x.batch_device is not None
    information, total = (
        as_estimate(evidence, target.entropy, 0.0, n_rows) for evidence in (solution.information, solution.total)
    )
    features, suspects = builder.results(), find_suspects(solution, context)
    warnings = (
        *context.warnings(n_rows, converged=solution.converged, still_rising=solution.still_rising),
        *suspect_warnings(suspects, context.target_name, {one.feature for one in features if one.selected}),
        *builder.training_warnings(),
    )
    return Selection(
        target=context.target_name,
        features=features,
        mutual_information=information,
        total_information=total,
        n_rows=n_rows,
        target_entropy=target.entropy if target.is_discrete else None,
        path=builder.path(information, total),
        history=tuple(records),
        converged=solution.converged,
        warnings=(*warnings, SelectionWarning(WarningCode.STREAMED_TO_DEVICE)) if streamed else warnings,
        settings=context.settings,
        versions=versions(),
        pairs=builder.pairs(),
        suspects=suspects,
        weight_history=builder.weight_history(),
    )
