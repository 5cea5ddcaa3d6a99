"""Saved selections: any is read back equal and can be shown, any damaged file is read or refused."""

from __future__ import annotations

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from full_selection import full_selection
from minerva_select.codes import Conversion, EstimateNote, ReasonCode, WarningCode
from minerva_select.errors import InputError
from minerva_select.report import render
from minerva_select.results import (
    Estimate,
    FeatureResult,
    PairResult,
    PathPoint,
    Provenance,
    Reason,
    Repeats,
    Role,
    Selection,
    SelectionWarning,
    Suspect,
    SuspectKind,
    TrainingRecord,
    WeightRecord,
)

DOCUMENT = json.loads(full_selection(n_features=6, n_selected=2).to_json())

VALUE_NAMES = ["nats", "share", "target", "cause", "pattern", "step", "n_rows", "otherwise", "text", "example"]

numbers = st.floats(allow_nan=False, allow_infinity=False)
counts = st.integers(0, 2**62)
names = st.text(max_size=8)  # with unpaired surrogates
plain = st.recursive(
    st.none() | st.booleans() | st.integers() | numbers | names,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=3),
    max_leaves=8,
)
values = st.dictionaries(names | st.sampled_from(VALUE_NAMES), plain, max_size=3)
anything = plain | st.sampled_from([float("nan"), float("inf"), 10**400, -(10**25)])


def some(kind, /, **fields):
    """Tuples of instances of a dataclass with these fields."""
    return st.lists(st.builds(kind, **fields), max_size=3).map(tuple)


@st.composite
def selections(draw):
    known = draw(st.lists(names, min_size=1, max_size=5, unique=True))
    one = st.sampled_from(known)
    few = st.lists(one, max_size=3).map(tuple)
    maybe = st.none() | numbers
    interval = {"nats": numbers, "low": numbers, "high": numbers}
    feature = {
        "selected": st.booleans(),
        "reason": st.builds(Reason, code=st.sampled_from(ReasonCode), columns=few, values=values),
        "weight": numbers,
        "marginal_nats": maybe,
        "contribution_low": maybe,
        "partners": few,
        "substitutes": few,
        "conversion": st.none() | st.sampled_from(Conversion),
        "role": st.none() | st.sampled_from(Role),
        "replaced_by": few,
        "frequency": st.none() | st.floats(0, 1),
    }
    estimate = st.none() | st.builds(
        Estimate, **interval, n_rows=counts, note=st.none() | st.sampled_from(EstimateNote), entropy=maybe
    )
    return Selection(
        target=draw(names),
        features=tuple(draw(st.builds(FeatureResult, feature=st.just(name), **feature)) for name in known),
        mutual_information=draw(estimate),
        total_information=draw(estimate),
        n_rows=draw(counts),
        target_entropy=draw(maybe),
        path=draw(some(PathPoint, n_features=counts, features=few, **interval)),
        history=draw(some(TrainingRecord, stage=names, step=counts, bound=numbers, held_out_bound=maybe)),
        converged=draw(st.booleans()),
        warnings=draw(some(SelectionWarning, code=st.sampled_from(WarningCode), columns=few, values=values)),
        seconds=draw(numbers),
        settings=draw(st.dictionaries(names, plain, max_size=3)),
        versions=draw(st.dictionaries(names, names, max_size=3)),
        pairs=draw(some(PairResult, first=one, second=one, **interval)),
        suspects=draw(some(Suspect, feature=one, kind=st.sampled_from(SuspectKind), share=maybe, of=st.none() | names)),
        weight_history=draw(some(WeightRecord, step=counts, weights=st.dictionaries(one, numbers, max_size=3))),
        repeats=draw(st.none() | st.builds(Repeats, n_fits=counts, subsample=maybe, agreement=numbers)),
        provenance=draw(
            st.none() | st.builds(Provenance, created=names, fingerprint=names, n_columns=counts, device=names)
        ),
    )


@given(selections())
@settings(max_examples=50, deadline=None)
def test_any_selection_is_read_back_equal(selection):
    assert Selection.from_json(selection.to_json()) == selection


@given(selections())
@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_any_selection_that_is_read_can_be_shown(selection):
    assert str(selection)
    assert selection._repr_html_()
    assert render(selection)


@given(st.data())
@settings(max_examples=200, deadline=None)
def test_a_damaged_document_is_read_or_refused_but_never_breaks(data):
    document = json.loads(json.dumps(DOCUMENT))
    for _ in range(data.draw(st.integers(1, 3))):
        _damage(document, data)
    _read_or_refuse(json.dumps(document))


@given(st.data())
@settings(max_examples=200, deadline=None)
def test_damaged_text_is_read_or_refused_but_never_breaks(data):
    text = json.dumps(DOCUMENT)
    start = data.draw(st.integers(0, len(text)))
    stop = data.draw(st.integers(start, min(len(text), start + 20)))
    _read_or_refuse(
        text[:start] + data.draw(st.text(st.sampled_from('[]{}",:0123456789eE+-.nulltrueNaN\\ '))) + text[stop:]
    )


@given(plain)
@settings(max_examples=50, deadline=None)
def test_no_other_document_is_a_selection(document):
    with pytest.raises(InputError):
        Selection.from_json(json.dumps(document))


def _damage(document, data):
    """Replace or remove a value at a place of the document that is drawn level by level."""
    inner, steps = document, data.draw(st.integers(0, 3))
    while True:
        keys = list(inner) if isinstance(inner, dict) else list(range(len(inner)))
        if not keys:
            return
        key = data.draw(st.sampled_from(keys))
        if steps == 0 or not isinstance(inner[key], list | dict):
            break
        inner, steps = inner[key], steps - 1
    if data.draw(st.booleans()):
        inner[key] = data.draw(anything)
    else:
        del inner[key]


def _read_or_refuse(text):
    try:
        selection = Selection.from_json(text)
    except InputError as error:
        message = str(error)
        assert message.endswith(".")
        assert "\n" not in message
    else:
        assert Selection.from_json(selection.to_json()) == selection
