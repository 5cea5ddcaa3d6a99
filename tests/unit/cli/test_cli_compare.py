"""``minerva compare``."""

from __future__ import annotations

import dataclasses
import io
import re
from pathlib import Path

import pytest
from rich.cells import cell_len
from rich.console import Console

from minerva_select.cli.comparison_view import print_comparison, to_markdown
from minerva_select.codes import FailureCode, WarningCode
from minerva_select.errors import InputError
from minerva_select.evaluation import METHODS, Comparison
from minerva_select.evaluation.downstream import Score
from minerva_select.evaluation.failures import Failure
from minerva_select.evaluation.leaderboard import MethodResult
from minerva_select.results import Estimate, Progress, SelectionWarning
from minerva_select.text.comparison import describe_notes

FEW_ROWS = SelectionWarning(WarningCode.FEW_ROWS, values={"n_rows": 60})
HALF = Estimate(0.5, 0.48, 0.52, n_rows=100)
SCORE = Score("ROC-AUC", 0.9, 0.88, 0.92)
FEATURES = ("amount", "country", "hour", "a name that is far too long for one narrow column of a table of features")


def result_of(name, *kept, **changed):
    label = METHODS[name].label if name in METHODS else name
    return MethodResult(name, label, kept, **{"information": HALF, "score": SCORE, "seconds": 12.34, **changed})


@pytest.fixture
def comparison():
    """Three methods with a result and two without; hour carries most alone."""
    nothing = {"information": None, "score": None, "seconds": None}
    return Comparison(
        target="is_fraud",
        features=FEATURES,
        n_rows=300,
        n_held_out=100,
        metric="ROC-AUC",
        results=(
            result_of("minerva", ("amount", "hour"), peak_bytes=123_456_789),
            result_of("hsic-lasso", ("hour",)),
            result_of("lasso", ("amount", "hour", FEATURES[3]), warnings=(FEW_ROWS,)),
            result_of("foci", None, failures=(Failure(FailureCode.OUT_OF_TIME, seconds=300.0),), **nothing),
            result_of("boruta", None, failures=(Failure(FailureCode.NOT_INSTALLED, "pip install it"),), **nothing),
        ),
        all_features=MethodResult("all", "all features", (FEATURES,), HALF, SCORE),
        marginal_nats={"amount": 0.01, "hour": 0.3},
    )


@pytest.fixture
def asked(monkeypatch, comparison):
    """Arguments of the comparison, which returns at once."""
    seen = []

    def compare(X, y, methods, **settings):
        settings.pop("progress")(Progress("MINERVA", 0.5))
        assert callable(settings.pop("on_interrupt"))
        seen.append((X.column_names, y.column_names, methods, settings))
        return comparison

    monkeypatch.setattr("minerva_select.evaluation.compare", compare)
    return seen


def named(comparison):
    """The comparison with the name of its table, as the command saves it."""
    return dataclasses.replace(comparison, settings={"data": "data.csv"})


def text_of(comparison, width=100):
    console = Console(file=io.StringIO(), width=width, markup=False, highlight=False)
    print_comparison(comparison, console)
    return [line.rstrip() for line in console.file.getvalue().splitlines()]


def test_the_tables_show_what_each_method_keeps_and_its_scores(comparison):
    lines = text_of(comparison)
    assert [lines[0], *lines[2:8]] == [
        "method        kept  agree       information, nats                 ROC-AUC  seconds  peak MB",
        "MINERVA          2   100%  0.500 (0.480 to 0.520)  0.900 (0.880 to 0.920)     12.3      123",
        "HSIC Lasso       1    50%  0.500 (0.480 to 0.520)  0.900 (0.880 to 0.920)     12.3        –",
        "Lasso            3    67%  0.500 (0.480 to 0.520)  0.900 (0.880 to 0.920)     12.3        –",
        "FOCI             –      –                       –                       –        –        –",
        "Boruta           –      –                       –                       –        –        –",
        "all features     4      –  0.500 (0.480 to 0.520)  0.900 (0.880 to 0.920)        –        –",
    ]
    header = next(place for place, line in enumerate(lines) if line.startswith("feature"))
    assert lines[header - 1].split() == ["hsic-"]
    assert lines[header].split() == ["feature", "minerva", "lasso", "lasso", "alone"]
    assert lines[header + 2].split() == ["hour", "✓", "✓", "✓", "0.300"]
    assert lines[header + 3].split() == ["amount", "✓", "✓", "0.010"]
    assert lines[header + 4].endswith("–")
    assert not any(line.startswith("country") for line in lines)  # no method keeps it


@pytest.mark.parametrize("width", [60, 80, 100, 140])
def test_tables_fit_the_terminal(comparison, width):
    wide = dataclasses.replace(
        comparison,
        results=tuple(result_of(name, FEATURES[:2], peak_bytes=10**10, seconds=12345.6) for name in METHODS),
    )
    assert all(cell_len(line) <= width for line in text_of(wide, width))


def test_rare_targets_get_more_digits(comparison):
    little = Estimate(0.00931, 0.009, 0.0096, n_rows=100)
    all_features = dataclasses.replace(comparison.all_features, information=little)
    rare = dataclasses.replace(comparison, all_features=all_features)
    assert any("0.00931 (0.00900 to 0.00960)" in line for line in text_of(rare))


def test_several_splits_show_in_how_many_a_feature_was_kept(comparison):
    rows = (result_of("minerva", ("amount",), ("amount", "hour")), result_of("ksg", ("hour",), None))
    lines = text_of(dataclasses.replace(comparison, results=rows))
    assert lines[2].split()[:3] == ["MINERVA", "1.5", "100%"]
    assert any(line.split() == ["amount", "2/2", "0.010"] for line in lines)
    assert any(line.split() == ["hour", "1/2", "✓", "0.300"] for line in lines)


def test_many_features_are_counted_past_thirty(comparison):
    names = tuple(f"f{k}" for k in range(45))
    many = dataclasses.replace(comparison, features=names, results=(result_of("minerva", names),))
    assert "... and 15 more features that some method keeps" in text_of(many)


def test_features_that_minerva_keeps_come_first(comparison):
    names = tuple(f"f{k}" for k in range(45))
    rows = (result_of("ksg", names[:44]), result_of("lasso", names[:44]), result_of("minerva", names[44:]))
    many = dataclasses.replace(comparison, features=names, results=rows)
    lines = text_of(many)
    header = next(place for place, line in enumerate(lines) if line.startswith("feature"))
    assert lines[header + 2].startswith("f44 ")
    assert lines[header + 3].startswith("f0 ")
    page = to_markdown(many)
    assert page.index("| f44 |") < page.index("| f0 |")


def test_notes_name_dominant_features_and_methods_without_a_result(comparison):
    check, *notes = describe_notes(comparison)
    assert "`hour`" in check
    assert "60%" in check
    assert notes == [
        f"Note: Lasso: {FEW_ROWS}",
        "Note: FOCI: out of time after 300 s",
        "Note: Boruta: not installed: pip install it",
    ]


def test_without_kept_features_there_is_only_the_table_of_methods(comparison):
    lines = text_of(dataclasses.replace(comparison, results=(result_of("minerva", ()),), marginal_nats={}))
    assert not any(line.startswith("feature") for line in lines)


def test_the_page_has_every_feature_and_the_agreement_of_all_pairs(comparison):
    page = to_markdown(dataclasses.replace(comparison, features=("a|b", *FEATURES)))
    assert "| MINERVA | 2 | 100% | 0.500 (0.480 to 0.520) |" in page
    assert "Note: FOCI: out of time after 300 s" in page
    assert "| a\\|b |  |  |  | – |" in page
    assert "| HSIC Lasso | 0.50 | 1.00 | 0.33 |" in page


@pytest.mark.parametrize("ignore", ["--ignore", "--drop"])  # check suggests --drop
def test_options_reach_the_comparison(folder, asked, run, ignore):
    result = run(
        *("compare", "data.csv", "--target", "is_fraud", ignore, "id", "--methods", "minerva, ksg"),
        *("--n-features", 2, "--splits", 3, "--held-out", 0.25, "--time-limit", 9, "--categorical", "late,is_fraud"),
        *("--device", "cpu", "--seed", 7),
    )
    assert result.exit_code == 0
    settings = {
        "n_splits": 3, "held_out": 0.25, "n_features": 2, "time_limit": 9.0, "categorical_features": {"late": True},
        "target_type": "discrete", "device": "cpu", "random_state": 7, "cache_dir": None,
    }  # fmt: skip
    assert asked == [(["amount", "country", "late"], ["is_fraud"], ["minerva", "ksg"], settings)]
    assert [path.name for path in folder.iterdir()] == ["data.csv"]


def test_without_options_all_methods_run_for_five_minutes_each(folder, asked, run):
    assert run("compare", "data.csv", "--target", "is_fraud").exit_code == 0
    _, _, methods, settings = asked[0]
    assert methods is None
    assert (settings["time_limit"], settings["n_splits"], settings["held_out"]) == (300.0, 1, 0.33)


def test_out_contains_comparison_page_and_finished_fits(folder, asked, run, comparison):
    result = run("compare", "data.csv", "--target", "is_fraud", "--out", "new/results")
    assert Comparison.load("new/results/comparison.json") == named(comparison)
    assert (folder / "new/results/comparison.md").read_text(encoding="utf-8") == to_markdown(comparison)
    assert "is_fraud" in (folder / "new/results/comparison.html").read_text(encoding="utf-8")
    assert asked[0][3]["cache_dir"].name == "results"
    assert "comparison.json, new/results/comparison.html and new/results/comparison.md." in result.stderr


def test_json_is_the_only_thing_on_stdout(folder, asked, run, comparison):
    result = run("compare", "data.csv", "--target", "is_fraud", "--json", "--out", "results")
    assert Comparison.from_json(result.stdout) == named(comparison)


def test_the_tables_are_on_stdout_without_color_codes(folder, asked, run):
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
        (["--target", "is_fraud", "--out", "data.csv"], "--out"),
        (["--target", "is_fraud", "--seed", "-1"], "--seed"),
        (["--target", "is_fraud,late"], "--target takes one column"),
        (["--target", "is_fraud", "--methods", "minrva"], "did you mean 'minerva'"),
        (["--target", "is_fraud", "--methods", ","], "methods"),
        (["--target", "is_fraud", "--n-features", "9"], "9"),
        (["--target", "is_fraud", "--splits", "0"], "--splits"),
        (["--target", "is_fraud", "--held-out", "1.5"], "--held-out"),
        (["--target", "is_fraud", "--held-out", "0.1"], "each part needs 6"),
        (["--target", "is_fraud", "--time-limit", "0"], "--time-limit"),
        (["--target", "is_fraud", "--device", "abacus"], "abacus"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_bad_options_exit_with_2_and_one_sentence(arguments, message, run, assert_refused):
    assert_refused(run("compare", "data.csv", *arguments), message)


def test_a_folder_in_the_place_of_a_result_is_refused_before_the_work(folder, asked, run, assert_refused):
    (folder / "results" / "comparison.md").mkdir(parents=True)
    assert_refused(run("compare", "data.csv", "--target", "is_fraud", "--out", "results"), "comparison.md")
    assert asked == []


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("out", "n_lines"),
    [([], 0), (["--out", "results"], 1)],
)
def test_an_interrupt_says_that_finished_fits_are_saved(monkeypatch, run, out, n_lines):
    def interrupt(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("minerva_select.evaluation.compare", interrupt)
    result = run("compare", "data.csv", "--target", "is_fraud", *out)
    *lines, last = result.stderr.splitlines()
    assert (result.exit_code, result.stdout, last) == (130, "", "minerva: Interrupted.")
    assert ["'results'" in line for line in lines] == [True] * n_lines


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("out", "hint"),
    [([], "--out DIR"), (["--out", "results"], "'results'")],
)
def test_an_interrupt_prints_the_finished_part(monkeypatch, run, comparison, out, hint):
    def interrupt(*_, on_interrupt, **__):
        on_interrupt(comparison)
        raise KeyboardInterrupt

    monkeypatch.setattr("minerva_select.evaluation.compare", interrupt)
    result = run("compare", "data.csv", "--target", "is_fraud", *out)
    assert result.exit_code == 130
    assert result.stdout.startswith("method ")
    first, last = result.stderr.splitlines()
    assert hint in first
    assert last == "minerva: Interrupted."
    assert not Path("results/comparison.json").exists()


def test_an_error_of_the_comparison_exits_with_2_and_one_sentence(folder, monkeypatch, run, assert_refused):
    def refuse(*_, **__):
        raise InputError("The target 'y' has only one value in the held-out rows.")

    monkeypatch.setattr("minerva_select.evaluation.compare", refuse)
    assert_refused(run("compare", "data.csv", "--target", "is_fraud"), "only one value in the held-out rows")
