"""Lines that a chart shows next to the pointer, and below what it leaves out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from minerva_select.codes import Role
from minerva_select.text.effects import point_text
from minerva_select.text.formatting import count_features, join_names, nats_with_interval, number, percent
from minerva_select.text.proof import describe_proof
from minerva_select.text.roles import describe_role

if TYPE_CHECKING:
    from minerva_select.results import FeatureResult, PairResult, Repeats
    from minerva_select.results.effects import EffectBin, EffectPoint

MOST_NAMES = 3
SUPPORTING = "Supporting"  # in a legend, next to a hatched mark


def role_label(role: Role | None) -> str:
    """Name of a role in a legend."""
    return describe_role(role).capitalize() or "Selected"


def contribution_lines(result: FeatureResult, digits: int) -> list[str]:
    """What is known about one feature."""
    adds, marginal = result.contribution_nats, result.marginal_nats
    lines = [", ".join(filter(None, [role_label(result.role), describe_proof(result)]))]
    if adds is not None:
        lines.append(f"adds {nats_with_interval(adds, result.contribution_low, result.contribution_high, digits)}")
    elif marginal is None:
        lines.append(f"weight {number(result.weight)}")
    if marginal is not None:
        lines.append(f"alone {nats_with_interval(marginal, result.marginal_low, result.marginal_high, digits)}")
    if result.partners:
        lines.append(f"interacts with {join_names(result.partners, MOST_NAMES)}")
    if result.replaced_by:
        lines.append(f"substitute for {join_names(result.replaced_by, MOST_NAMES)}")
    return lines


def effect_lines(
    label: str,
    one: EffectBin,
    outcome: str,
    points: tuple[EffectPoint, EffectPoint | None],
    span: float,
    *,
    is_share: bool,
) -> list[str]:
    """What is known about one bin of a feature; ``points`` are the observed and the adjusted one."""
    observed, adjusted = (point_text(point, span, is_share=is_share) for point in points)
    rows = f"{one.n_rows:,} row{'' if one.n_rows == 1 else 's'} ({percent(one.share)})"
    lines = [label, rows, outcome, f"observed {observed}"]
    return [*lines, f"given the others {adjusted}"] if adjusted else lines


def map_lines(first: str, second: tuple[str, str], found: str, n_rows: int) -> list[str]:
    """What is known about one cell of a map, after the name of its first feature; ``second`` is a name and a label."""
    return [first, f"{join_names([second[0]])}: {second[1]}", found, f"{n_rows:,} rows"]


def path_lines(nats: str, removed: Sequence[str], *, selected: bool) -> list[str]:
    """What is known about one set on the path; ``removed`` are in the next larger set only."""
    without = f"without {join_names(removed, MOST_NAMES)}" if removed else ""
    return [nats, without, "selected" if selected else ""]


def pair_lines(pair: PairResult, digits: int) -> list[str]:
    """What is known about a pair, after the name of its first feature."""
    kind = "synergy" if pair.nats >= 0 else "redundancy"
    return [f"and {join_names([pair.second])}", f"{kind}: {nats_with_interval(pair.nats, pair.low, pair.high, digits)}"]


def training_lines(stage: str, bound: float | None, held_out: float | None, n_features: int, digits: int) -> list[str]:
    """What is known about one step of training."""
    return [
        stage,
        f"training {number(bound, digits)} nats",
        f"held-out {number(held_out, digits)} nats",
        count_features(n_features) if n_features else "",
    ]


def frequency_line(share: float, repeats: Repeats) -> str:
    """How many of the repeated fits selected a feature."""
    return f"selected in {round(share * repeats.n_fits):,} of {repeats.n_fits:,} fits ({share:.0%})"


def not_shown(**counts: int) -> str:
    """Count what a chart leaves out, by kind; empty if it shows everything."""
    parts = ", ".join(f"{count:,} {kind.replace('_', ' ')}" for kind, count in counts.items() if count)
    return f"Not shown: {parts}." if parts else ""
