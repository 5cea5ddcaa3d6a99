"""``minerva select --repeats``."""

from __future__ import annotations

import contextlib
import dataclasses

import pytest

from minerva_select.errors import InputError
from minerva_select.results import Progress, Repeats, Selection

SELECT = ("select", "data.csv", "--target", "is_fraud")


@pytest.fixture
def repeated(folder, selector, monkeypatch):
    """Arguments of the repeats, which return at once."""
    seen = []

    def repeat_fits(selector, X, y, *, progress, **settings):
        seen.append({"parameters": dict(selector.seen), "columns": X.column_names, **settings})
        for n_done in range(1, settings["n_repeats"] + 1):
            progress(Progress(f"fit {n_done}", n_done / settings["n_repeats"]))
        return [selector.answer] * settings["n_repeats"]

    def with_frequencies(selection, repeats, subsample):
        features = tuple(dataclasses.replace(result, frequency=1.0) for result in selection.features)
        return dataclasses.replace(selection, features=features, repeats=Repeats(len(repeats), subsample, 1.0))

    monkeypatch.setattr("minerva_select.evaluation.repeat_fits", repeat_fits)
    monkeypatch.setattr("minerva_select.evaluation.with_frequencies", with_frequencies)
    return seen


def test_frequencies_are_written_with_the_selection(repeated, run):
    result = run(*SELECT, "--repeats", 3, "--subsample", 0.5, "--jobs", 2, "--seed", 7, "--out", "results")
    assert result.exit_code == 0
    saved = Selection.load("results/selection.json")
    assert saved.repeats == Repeats(3, 0.5, 1.0)
    assert [feature.frequency for feature in saved.features] == [1.0, 1.0]
    (asked,) = repeated
    assert (asked["n_repeats"], asked["subsample"], asked["n_jobs"], asked["random_state"]) == (3, 0.5, 2, 7)
    assert asked["columns"] == ["id", "amount", "country", "late"]


def test_repeats_have_no_checkpoint_and_no_callbacks(repeated, run):
    assert run(*SELECT, "--repeats", 2, "--n-features", 2, "--cache", "work", "--resume").exit_code == 0
    parameters = repeated[0]["parameters"]
    assert (parameters["cache_dir"], parameters["resume"]) == (None, False)
    assert not parameters.get("callbacks")
    assert parameters["n_features_to_select"] == 2


def test_by_default_nothing_is_repeated(repeated, run):
    assert run(*SELECT).exit_code == 0
    assert repeated == []


def test_the_log_counts_the_repeats(repeated, run):
    result = run(*SELECT, "--repeats", 2, "--verbose")
    assert [line.split(" ", 1)[1] for line in result.stderr.splitlines() if "repeats" in line] == [
        "0 of 2 repeats done",
        "1 of 2 repeats done",
        "2 of 2 repeats done",
    ]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--repeats", "0"], "--repeats"),
        (["--repeats", "3", "--jobs", "0"], "--jobs"),
        (["--repeats", "3", "--subsample", "1"], "--subsample"),
        (["--repeats", "3", "--subsample", "nan"], "--subsample"),
        (["--subsample", "0.5"], "--subsample needs --repeats"),
        (["--jobs", "2"], "--jobs needs --repeats"),
        (["--repeats", "3", "--group-column", "country"], "--group-column"),
        (["--repeats", "3", "--time-column", "id"], "--time-column"),
        (["--repeats", "3", "--weight-column", "id"], "--weight-column"),
        (["--repeats", "3", "--memory", "1MiB"], "--memory"),
    ],
)
def test_options_that_cannot_be_repeated_are_refused_before_the_fit(
    folder, selector, arguments, message, run, assert_refused
):
    if "--memory" in arguments:
        rows = "".join(f"{i},{i % 2}\n" for i in range(50_000))
        (folder / "data.csv").write_text(f"amount,is_fraud\n{rows}")
    assert_refused(run(*SELECT, *arguments), message)
    assert selector.fitted == []


def test_a_distributed_run_is_refused_before_the_fit(folder, selector, monkeypatch, run, assert_refused):
    @contextlib.contextmanager
    def two(device):
        class Ranks:
            size, is_main = 2, True

        yield Ranks

    monkeypatch.setattr("minerva_select.cli.select._process_group", two)
    assert_refused(run(*SELECT, "--repeats", 3), "torchrun")
    assert selector.fitted == []


@pytest.mark.parametrize(
    ("failure", "code", "words"),
    [(KeyboardInterrupt(), 130, "Interrupted."), (InputError("Too few rows."), 2, "Too few rows.")],
)
def test_failed_repeats_keep_the_selection(repeated, monkeypatch, failure, code, words, answer, run):
    def fail(*_, **__):
        assert Selection.load("results/selection.json") == answer  # already saved
        raise failure

    monkeypatch.setattr("minerva_select.evaluation.repeat_fits", fail)
    result = run(*SELECT, "--repeats", 3, "--out", "results")
    assert result.exit_code == code
    assert "0.500 (0.480 to 0.520)" in result.stdout
    assert Selection.load("results/selection.json") == answer
    assert "The repeats were not finished" in result.stderr
    assert result.stderr.endswith(f"minerva: {words}\n")
