"""Properties of progress estimates and metric names."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from minerva_select.callbacks.metrics import metric_names
from minerva_select.selectors.progress import PAPER_STAGES, VETTING_STAGES, ProgressEstimate

STAGES = st.sampled_from(["encode", "screen", "learn", "sparsify", "join", "vet", "estimate", "another"])


@given(st.sampled_from([VETTING_STAGES, PAPER_STAGES]), st.lists(st.tuples(STAGES, st.integers(0, 5000)), max_size=40))
def test_the_fraction_never_decreases(stages, steps):
    progress = ProgressEstimate(stages)
    fractions = [0.0, *(progress.step(stage, step) for stage, step in steps), 1.0]
    assert fractions == sorted(fractions)


@given(
    st.lists(st.text(max_size=8) | st.sampled_from(["a b", "a_b", "a_b-2", "a/b", ".", "..", "x" * 300]), unique=True)
)
def test_metric_names_are_valid_and_distinct_and_keep_valid_names(names):
    found = metric_names(names)
    assert len(found) == len(names) == len({*found})
    for name, valid in zip(names, found, strict=True):
        assert re.fullmatch(r"[\w.-]{1,220}", valid)
        assert valid not in (".", "..")
        if re.fullmatch(r"[\w.-]{1,200}", name) and name.strip("."):
            assert valid == name
