"""Claims about ``minerva compare``."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path

import pytest
from rich.cells import cell_len

from minerva_select.cli.comparison_view import as_markdown, comparison_lines, notes
from minerva_select.errors import InputError
from minerva_select.evaluation import METHODS, Comparison, Score, Standing
from minerva_select.results import Estimate, Progress

HALF = Estimate(0.5, 0.48, 0.52, n_rows=100)
SCORE = Score("ROC-AUC", 0.9, 0.88, 0.92)
FEATURES = ("amount", "country", "hour", "a name that is far too long for one narrow column of a table of features")


def standing(name, *kept, **changed):
    label = METHODS[name].label if name in METHODS else name
    return Standing(name, label, kept, **{"information": HALF, "score": SCORE, "seconds": 12.34, **changed})


@pytest.fixture
def comparison():
    """Three methods with an answer and two without; hour carries most alone."""
    nothing = {"information": None, "score": None, "seconds": None}
    return Comparison(
        target="is_fraud",
        features=FEATURES,
        n_rows=300,
        n_held_out=100,
        metric="ROC-AUC",
        standings=(
            standing("minerva", ("amount", "hour"), peak_bytes=123_456_789),
            standing("hsic-lasso", ("hour",)),
            standing("lasso", ("amount", "hour", FEATURES[3]), notes=("Few rows\nhere.",)),
            standing("foci", None, status="out of time: stopped after 300 s", **nothing),
            standing("boruta", None, status="not installed: pip install 'minerva-select[paper]'", **nothing),
        ),
        reference=Standing("all", "all features", (FEATURES,), HALF, SCORE),
        alone={"amount": 0.01, "hour": 0.3},
    )


@pytest.fixture
def asked(monkeypatch, comparison):
    """What the function was asked; it answers at once."""
    seen = []

    def compare(X, y, methods, **settings):
        settings.pop("progress")(Progress("MINERVA", 0.5))
        assert callable(settings.pop("on_interrupt"))
        seen.append((X.column_names, y.column_names, methods, settings))
        return comparison

    monkeypatch.setattr("minerva_select.evaluation.compare", compare)
    return seen


def text_of(comparison, width=100):
    return [line.plain for line in comparison_lines(comparison, width)]


def test_the_tables_say_who_keeps_what_and_how_good_that_is(comparison):
    lines = text_of(comparison)
    assert [line.rstrip() for line in lines[:7]] == [
        "method        kept  agree       information, nats                 ROC-AUC  seconds  peak MB",
        "MINERVA          2   100%  0.500 (0.480 to 0.520)  0.900 (0.880 to 0.920)     12.3      123",
        "HSIC Lasso       1    50%  0.500 (0.480 to 0.520)  0.900 (0.880 to 0.920)     12.3        –",
        "Lasso            3    67%  0.500 (0.480 to 0.520)  0.900 (0.880 to 0.920)     12.3        –",
        "FOCI          out of time: stopped after 300 s",
        "Boruta        not installed: pip install 'minerva-select[paper]'",
        "all features     4      –  0.500 (0.480 to 0.520)  0.900 (0.880 to 0.920)        –        –",
    ]
    header = next(place for place, line in enumerate(lines) if line.startswith("feature"))
    assert lines[header - 1].split() == ["hsic-"]
    assert lines[header].split() == ["feature", "minerva", "lasso", "lasso", "alone"]
    assert lines[header + 1].split() == ["hour", "✓", "✓", "✓", "0.300"]
    assert lines[header + 2].split() == ["amount", "✓", "✓", "0.010"]
    assert lines[header + 3].endswith("–")
    assert not any(line.startswith("country") for line in lines)  # nobody keeps it


@pytest.mark.parametrize("width", [60, 80, 100, 140])
def test_tables_fit_the_screen(comparison, width):
    wide = dataclasses.replace(
        comparison,
        standings=tuple(standing(name, FEATURES[:2], peak_bytes=10**10, seconds=12345.6) for name in METHODS),
    )
    lines = text_of(wide, width)
    end = next(place for place, line in enumerate(lines) if line.startswith("Information about"))
    features = [line for line in lines if line.startswith(("feature", "amount", "country"))]
    assert len(features) == 3
    limit = max(width, 76)  # below, the names of methods and two intervals find no room
    assert all(cell_len(line) <= limit for line in [*lines[:end], *features])


def test_rare_targets_get_more_digits(comparison):
    little = Estimate(0.00931, 0.009, 0.0096, n_rows=100)
    rare = dataclasses.replace(comparison, reference=dataclasses.replace(comparison.reference, information=little))
    assert any("0.00931 (0.00900 to 0.00960)" in line for line in text_of(rare))


def test_several_splits_show_in_how_many_a_feature_was_kept(comparison):
    rows = (standing("minerva", ("amount",), ("amount", "hour")), standing("ksg", ("hour",), None))
    lines = text_of(dataclasses.replace(comparison, standings=rows))
    assert lines[1].split()[:3] == ["MINERVA", "1.5", "100%"]
    assert any(line.split() == ["amount", "2/2", "0.010"] for line in lines)
    assert any(line.split() == ["hour", "1/2", "✓", "0.300"] for line in lines)


def test_many_features_are_counted_past_thirty(comparison):
    names = tuple(f"f{k}" for k in range(45))
    many = dataclasses.replace(comparison, features=names, standings=(standing("minerva", names),))
    assert "... and 15 more features that some method keeps" in text_of(many)


def test_what_minerva_keeps_is_shown_first_however_few_agree(comparison):
    names = tuple(f"f{k}" for k in range(45))
    rows = (standing("ksg", names[:44]), standing("lasso", names[:44]), standing("minerva", names[44:]))
    many = dataclasses.replace(comparison, features=names, standings=rows)
    lines = text_of(many)
    header = next(place for place, line in enumerate(lines) if line.startswith("feature"))
    assert lines[header + 1].startswith("f44 ")
    assert lines[header + 2].startswith("f0 ")
    page = as_markdown(many)
    assert page.index("| f44 |") < page.index("| f0 |")


def test_a_feature_that_carries_much_alone_is_pointed_out_and_methods_have_their_say(comparison):
    assert notes(comparison) == [
        "Check `hour`: alone it carries 60% of the information found in all features; is it known before is_fraud is?",
        "Note: Lasso: Few rows\\nhere.",
    ]


def test_nothing_kept_by_anyone_is_a_table_of_methods_alone(comparison):
    lines = text_of(dataclasses.replace(comparison, standings=(standing("minerva", ()),), alone={}))
    assert not any(line.startswith("feature") for line in lines)


def test_the_page_has_every_feature_and_the_agreement_of_all_pairs(comparison):
    page = as_markdown(dataclasses.replace(comparison, features=("a|b", *FEATURES)))
    assert "| MINERVA | 2 | 100% | 0.500 (0.480 to 0.520) |" in page
    assert "| FOCI | out of time: stopped after 300 s |" in page
    assert "| a\\|b |  |  |  | – |" in page
    assert "| HSIC Lasso | 0.50 | 1.00 | 0.33 |" in page


def test_options_reach_the_comparison(folder, asked, run):
    result = run(
        *("compare", "data.csv", "--target", "is_fraud", "--ignore", "id", "--methods", "minerva, ksg"),
        *("--n-features", 2, "--splits", 3, "--held-out", 0.25, "--time-limit", 9, "--categorical", "late,is_fraud"),
        *("--device", "cpu", "--seed", 7),
    )
    assert result.exit_code == 0
    settings = {
        "n_splits": 3, "held_out": 0.25, "n_features": 2, "time_limit": 9.0, "categorical_features": ["late"],
        "target_type": "discrete", "device": "cpu", "random_state": 7, "cache_dir": None,
    }  # fmt: skip
    assert asked == [(["amount", "country", "late"], ["is_fraud"], ["minerva", "ksg"], settings)]
    assert [path.name for path in folder.iterdir()] == ["data.csv"]


def test_without_options_all_methods_run_for_five_minutes_each(folder, asked, run):
    assert run("compare", "data.csv", "--target", "is_fraud").exit_code == 0
    _, _, methods, settings = asked[0]
    assert methods is None
    assert (settings["time_limit"], settings["n_splits"], settings["held_out"]) == (300.0, 1, 0.33)


def test_out_gets_the_comparison_its_page_and_the_finished_cells(folder, asked, run, comparison):
    result = run("compare", "data.csv", "--target", "is_fraud", "--out", "new/results")
    assert Comparison.load("new/results/comparison.json") == comparison
    assert (folder / "new/results/comparison.md").read_text(encoding="utf-8") == as_markdown(comparison)
    assert asked[0][3]["cache_dir"].name == "results"
    assert "Wrote new/results/comparison.json and new/results/comparison.md." in result.stderr


def test_json_is_the_only_thing_on_stdout(folder, asked, run, comparison):
    result = run("compare", "data.csv", "--target", "is_fraud", "--json", "--out", "results")
    assert Comparison.from_json(result.stdout) == comparison


def test_the_tables_are_on_stdout_without_colour_codes(folder, asked, run):
    result = run("compare", "data.csv", "--target", "is_fraud")
    assert "MINERVA" in result.stdout
    assert "\x1b" not in result.stdout


def test_without_a_terminal_every_step_is_logged(folder, asked, run):
    result = run("compare", "data.csv", "--target", "is_fraud")
    assert re.sub(r"\d\d:\d\d:\d\d", "T", result.stderr) == "T  50% MINERVA\n"
    assert run("compare", "data.csv", "--target", "is_fraud", "--quiet").stderr == ""


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--target", "is_frud"], "did you mean 'is_fraud'"),
        (["--target", "is_fraud", "--ignore", "is_fraud"], "both --target and --ignore"),
        (["--target", "is_fraud", "--ignore", "id", "--categorical", "id"], "both --ignore and --categorical"),
        (["--target", "is_fraud", "--ignore", "id,amount,country,late"], "No feature is left"),
        (["--target", "is_fraud", "--out", "data.csv"], "is a file and --out needs a folder"),
        (["--target", "is_fraud", "--seed", "-1"], "--seed must be a whole number"),
        (["--target", "is_fraud,late"], "choose one of them"),
        (["--target", "is_fraud", "--methods", "minrva"], "did you mean 'minerva'"),
        (["--target", "is_fraud", "--methods", ","], "names no method"),
        (["--target", "is_fraud", "--n-features", "9"], "n_features is 9, and X has 4 columns"),
        (["--target", "is_fraud", "--splits", "0"], "n_splits must be"),
        (["--target", "is_fraud", "--held-out", "1.5"], "held_out must be a share"),
        (["--target", "is_fraud", "--held-out", "0.1"], "each part needs 6"),
        (["--target", "is_fraud", "--time-limit", "0"], "time_limit must be"),
        (["--target", "is_fraud", "--device", "abacus"], "abacus"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_bad_options_end_with_2_and_one_sentence(arguments, message, run, assert_refused):
    assert_refused(run("compare", "data.csv", *arguments), message)


def test_a_folder_in_the_place_of_a_result_is_found_before_the_work(folder, asked, run, assert_refused):
    (folder / "results" / "comparison.md").mkdir(parents=True)
    assert_refused(run("compare", "data.csv", "--target", "is_fraud", "--out", "results"), "comparison.md' is a folder")
    assert asked == []


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("out", "words"),
    [([], ""), (["--out", "results"], "Finished cells are in 'results'; the same command goes on from there.\n")],
)
def test_an_interrupt_says_that_finished_cells_stay(monkeypatch, run, out, words):
    def interrupt(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("minerva_select.evaluation.compare", interrupt)
    result = run("compare", "data.csv", "--target", "is_fraud", *out)
    assert (result.exit_code, result.stdout, result.stderr) == (130, "", f"{words}minerva: Interrupted.\n")


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("out", "words"),
    [
        ([], "None of this is kept; with --out DIR the next run goes on where it was stopped.\n"),
        (["--out", "results"], "Finished cells are in 'results'; the same command goes on from there.\n"),
    ],
)
def test_an_interrupt_shows_what_is_finished(monkeypatch, run, comparison, out, words):
    def interrupt(*_, on_interrupt, **__):
        on_interrupt(comparison)
        raise KeyboardInterrupt

    monkeypatch.setattr("minerva_select.evaluation.compare", interrupt)
    result = run("compare", "data.csv", "--target", "is_fraud", *out)
    assert result.exit_code == 130
    assert result.stdout.startswith("method ")
    assert result.stderr == f"{words}minerva: Interrupted.\n"
    assert not Path("results/comparison.json").exists()


def test_a_fault_of_the_comparison_ends_with_2_and_one_sentence(folder, monkeypatch, run, assert_refused):
    def refuse(*_, **__):
        raise InputError("The target 'y' has only one value in the held-out rows.")

    monkeypatch.setattr("minerva_select.evaluation.compare", refuse)
    assert_refused(run("compare", "data.csv", "--target", "is_fraud"), "only one value in the held-out rows")
