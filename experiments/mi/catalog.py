"""All cases of the study, by group."""

from functools import cache

from mi.beyond_normal import make_tasks
from mi.case import Case, as_case
from mi.conditional import make_conditional_cases
from mi.discrete import make_discrete_cases
from mi.independence import make_independent_cases, make_monotone_cases, make_noise_cases
from mi.mixed import make_mixed_cases, make_rare_cases

GROUPS = {
    "tasks": "40 tasks of the Beyond Normal benchmark",
    "discrete": "discrete tables",
    "mixed": "a discrete and a continuous side",
    "rare": "a rare class",
    "conditional": "conditional information",
    "noise": "noise next to one informative column",
    "independence": "independent sides",
    "monotone": "monotone maps of every column",
}
QUICK_TASKS = (
    *("1v1-normal-0.75", "1v1-additive-0.1", "student-identity-2-2-1", "multinormal-dense-5-5-0.5"),
    *("spiral-multinormal-sparse-3-3-2-2.0", "multinormal-sparse-25-25-2-2.0"),
)


@cache
def load_catalog() -> dict[str, Case]:
    """All cases by name."""
    tasks = [as_case(name, "tasks", task, is_quick=name in QUICK_TASKS) for name, task in make_tasks().items()]
    others = [
        *make_discrete_cases(), *make_mixed_cases(), *make_rare_cases(), *make_conditional_cases(), *make_noise_cases(),
        *make_independent_cases(), *make_monotone_cases(),
    ]  # fmt: skip
    return {case.name: case for case in (*tasks, *others)}
