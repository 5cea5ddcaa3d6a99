"""What MINERVA is to reach in this study, and the PR-AUC of the table with the rarest positives."""

import statistics
from collections.abc import Sequence

from cells import NAMES
from formatting import JUDGE_LABELS, markdown, of_all
from judges import JUDGES
from methods import ALL, GIVEN_K, LABELS, OURS
from summary import GOAL, Outcome, Runs, below_goal, count_overlaps, interval, mean, metric_differences

RARE_TABLE = "creditcard_ulb"
RARE_TABLES = (RARE_TABLE, "card_fraud")  # the second one is simulated
MIN_SHARE, MAX_COLUMNS, MAX_PR_AUC_LOSS, MIN_OVERLAP = 0.99, 0.6, 0.005, 0.95


def goals_table(outcomes: Sequence[Outcome], runs: Runs) -> str:
    """Render the goals, what MINERVA measures, and whether it reaches them."""
    own = [outcome for outcome in outcomes if outcome.method == OURS]
    if not own:
        return "MINERVA has not run."
    lines = [*_share_goals(own, outcomes), _pr_auc_goal(runs), _overlap_goal(runs)]
    return markdown(["goal of MINERVA", "measured", "reached"], [line for line in lines if line])


def _share_goals(own: Sequence[Outcome], outcomes: Sequence[Outcome]) -> list[list[str]]:
    share, below = mean_share(own), below_goal(own)
    columns = statistics.fmean(outcome.kept_share for outcome in own)
    lines = [
        [f"mean share of information of {MIN_SHARE}", f"{share:.3f}", yes(share >= MIN_SHARE)],
        [f"no table below {GOAL}", ", ".join(below) or "none", yes(not below)],
        [f"at most {MAX_COLUMNS:.0%} of the columns", f"{columns:.0%}", yes(columns <= MAX_COLUMNS)],
    ]
    told = [outcome for outcome in outcomes if outcome.method == GIVEN_K]
    if told:
        same = [outcome for outcome in own if outcome.table in {other.table for other in told}]
        difference = mean_share(same) - mean_share(told)
        lines.append([f"ahead of {LABELS[GIVEN_K]}", f"{difference:+.4f}", yes(difference > 0)])
    return lines


def _pr_auc_goal(runs: Runs) -> list[str] | None:
    differences, _ = metric_differences(runs, RARE_TABLE, OURS, "boosting", "pr_auc")
    if not differences:
        return None
    text = f"{RARE_TABLE}: PR-AUC of boosted trees within {MAX_PR_AUC_LOSS} of all columns"
    return [
        text,
        describe_difference(runs, RARE_TABLE, OURS, "boosting"),
        yes(statistics.fmean(differences) >= -MAX_PR_AUC_LOSS),
    ]


def _overlap_goal(runs: Runs) -> list[str] | None:
    counts = list(count_overlaps(runs).values())
    n_overlap, n_checked = (sum(count[k] for count in counts) for k in (0, 1))
    if not n_checked:
        return None
    text = f"contributions overlap separate estimates for {MIN_OVERLAP:.0%} of the kept columns"
    return [text, of_all((n_overlap, n_checked)), yes(n_overlap / n_checked >= MIN_OVERLAP)]


def rare_tables(runs: Runs) -> str:
    """Render the differences of PR-AUC to all columns on each table of rare positives, with intervals."""
    return "\n\n".join(_rare_table(runs, table) for table in RARE_TABLES)


def _rare_table(runs: Runs, table: str) -> str:
    lines = [
        [LABELS[method], *(describe_difference(runs, table, method, judge) for judge in JUDGES)]
        for method in NAMES
        if method != ALL and (table, method) in runs
    ]
    if not lines:
        return f"{table} has not run."
    note = (
        f"PR-AUC on {table} minus PR-AUC with all columns: mean over the splits and its 95% interval, which takes "
        "into account that the splits share rows."
    )
    return f"{note}\n\n{markdown(['method', *(JUDGE_LABELS[judge] for judge in JUDGES)], lines)}"


def describe_difference(runs: Runs, table: str, method: str, judge: str) -> str:
    """Mean difference of PR-AUC to all columns, with its interval if there are several splits."""
    differences, test_ratio = metric_differences(runs, table, method, judge, "pr_auc")
    if not differences:
        return "-"
    bounds = interval(differences, test_ratio)
    between = f" ({bounds[0]:+.4f} to {bounds[1]:+.4f})" if bounds else ""
    return f"{statistics.fmean(differences):+.4f}{between}"


def mean_share(outcomes: Sequence[Outcome]) -> float:
    """Mean over tables and judges."""
    return mean(share for outcome in outcomes for share in outcome.shares.values() if share is not None) or 0.0


def yes(reached: bool) -> str:
    return "yes" if reached else "no"
