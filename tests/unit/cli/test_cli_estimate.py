"""``minerva estimate``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from minerva_select.codes import EstimateNote
from minerva_select.results import Estimate
from minerva_select.text.metadata import describe_estimate_note

CAPPED = Estimate(0.5, 0.48, 0.52, n_rows=20, note=EstimateNote.CAPPED, entropy=0.5)


def test_an_estimate_is_printed_as_a_line_or_as_json(folder, monkeypatch, run):
    seen = {}

    def stand_in(X, y, **rest):
        seen.update(rest, x=X.column_names, y=y.column_names, given=rest["given"].column_names)
        return CAPPED

    monkeypatch.setattr("minerva_select.selectors.mutual_information", stand_in)
    arguments = ["estimate", "data.csv", "--x", "amount,late", "--y", "is_fraud", "--given", "country", "--seed", "3"]
    first, second = run(*arguments).stdout.splitlines()
    # 0.5 nats are 0.5 / ln 2 = 0.721 bits
    assert first == (
        "I(amount, late; is_fraud | country) = 0.500 nats (95% interval 0.480 to 0.520), 0.721 bits, from 20 rows"
    )
    assert second == describe_estimate_note(CAPPED)
    document = json.loads(run(*arguments, "--json", "--categorical", "is_fraud,late").stdout)
    assert document["x"] == ["amount", "late"]
    assert (document["nats"], document["n_rows"], document["given"]) == (0.5, 20, ["country"])
    assert document["note"] == EstimateNote.CAPPED
    assert seen == {
        "x": ["amount", "late"],
        "y": ["is_fraud"],
        "given": ["country"],
        "target_type": "discrete",
        "categorical_features": {"late": True},
        "estimator": "auto",
        "device": "auto",
        "random_state": 3,
    }


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--x", "amount,amuont", "--y", "is_fraud"], "did you mean 'amount'"),
        (["--x", "amount,is_fraud", "--y", "is_fraud"], "both --x and --y"),
        (["--x", "amount", "--y", "is_fraud", "--given", "amount"], "both --x and --given"),
        (["--x", "amount", "--y", "is_fraud", "--categorical", "late"], "no column 'late'"),
        (["--x", "amount", "--y", "is_fraud", "--estimator", "kgs"], "no --estimator 'kgs'; did you mean 'ksg'"),
        (["--x", "country", "--y", "amount", "--estimator", "ksg"], "'country' has categories"),
    ],
)
def test_bad_options_exit_with_2_and_one_sentence(folder, arguments, message, run, assert_refused):
    assert_refused(run("estimate", "data.csv", *arguments), message)


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("name", "content", "arguments", "message"),
    [
        ("nowhere.csv", None, [], "no file 'nowhere.csv'"),
        ("bad.csv", "a,b\n", [], "no rows"),
        ("bad.csv", "a,b\n1,2\n2,3\n", [], "too few"),
        ("bad.csv", "a,b\n" + "1,2\n2,2\n" * 20, [], "'b' has only one value"),
        ("bad.csv", "a,b\n" + "1,2\n2,\n3,4\n" * 20, [], "'b' has 20 missing values"),
        ("bad.csv", "a,b\n" + "inf,2\n2,3\n" * 20, [], "'a' has 20 infinite values"),
        ("good.csv", "a,b\n" + "1,2\n2,3\n" * 20, ["--device", "abacus"], "abacus"),
        ("good.csv", "a,b\n" + "1,2\n2,3\n" * 20, ["--seed", "-1"], "--seed"),
    ],
)
def test_unusable_data_exit_with_2_and_one_sentence(name, content, arguments, message, run, assert_refused):
    if content is not None:
        Path(name).write_text(content)
    assert_refused(run("estimate", name, "--x", "a", "--y", "b", *arguments), message)
