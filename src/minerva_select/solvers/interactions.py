"""Interactions of units: synergy and redundancy of every pair, and the partners that a unit needs."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import torch
from torch import Tensor

from minerva_select.config import ELIMINATION, INFERENCE
from minerva_select.mi.inference import MeanEstimate
from minerva_select.runtime.deadline import Deadline
from minerva_select.solvers.judge import Comparisons
from minerva_select.solvers.masked_critics import MaskedCritics


def estimate_interactions(
    masked: MaskedCritics | Comparisons, units: list[int], kept: list[int], deadline: Deadline
) -> dict[tuple[int, int], MeanEstimate]:
    """Interaction of every two of these units, until the deadline: synergy above 0, redundancy below.

    I(a; y | rest, b) - I(a; y | rest), where the rest is everything else that is kept.
    """

    def information(left_out: Sequence[int]) -> Tensor:  # (n_rows,)
        values = masked.information([unit for unit in kept if unit not in left_out])
        return values if masked.mean(values).mean > 0 else torch.zeros_like(values)  # no set carries less than nothing

    full = information(())
    without = {unit: information([unit]) for unit in units}
    found: dict[tuple[int, int], MeanEstimate] = {}
    for first, second in combinations(units, 2):
        if deadline.expired:
            break
        found[first, second] = masked.mean(full - without[first] - without[second] + information([first, second]))
    return found


def find_partners(
    contributions: dict[int, MeanEstimate], interactions: dict[tuple[int, int], MeanEstimate]
) -> dict[int, list[int]]:
    """For every unit, the others without which it would contribute less than half."""
    found: dict[int, list[int]] = {unit: [] for unit in contributions}
    for pair, synergy in interactions.items():
        for unit, other in (pair, pair[::-1]):
            contribution = contributions[unit]
            if contribution.z > INFERENCE.clear_z and synergy.mean > ELIMINATION.partner_share * contribution.mean:
                found[unit].append(other)
    return found
