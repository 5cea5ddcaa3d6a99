"""Numbers and tables in Markdown."""

from collections.abc import Iterable, Sequence

JUDGE_LABELS = {
    "boosting": "boosted trees (LightGBM)", "extra_trees": "extra trees", "linear": "penalized linear model",
}  # fmt: skip
METRIC_LABELS = {"r2": "R2", "auc": "AUC", "pr_auc": "PR-AUC"}


def of_all(counts: tuple[int, int] | None) -> str:
    return "-" if counts is None else f"{counts[0]} of {counts[1]}"


def number(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


def brief(seconds: float) -> str:
    return f"{seconds:.0f}" if seconds >= 10 else f"{seconds:.1f}" if seconds >= 1 else f"{seconds:.2f}"


def markdown(head: Sequence[str], lines: Iterable[Sequence[object]]) -> str:
    table = [head, ["---"] * len(head), *lines]
    return "\n".join("| " + " | ".join(str(cell) for cell in line) + " |" for line in table)
