"""``minerva select``."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet

from full_selection import supported_selection
from minerva_select import errors, text
from minerva_select.results import Selection

BAD_COLUMNS = [
    (["--target", "is_frud"], "no column 'is_frud'; did you mean 'is_fraud'"),
    (["--target", "is_fraud", "--keep", "amuont"], "did you mean 'amount'"),
    (["--target", "is_fraud", "--drop", "contry"], "did you mean 'country'"),
    (["--target", "is_fraud", "--ignore", "idd"], "did you mean 'id'"),
    (["--target", "is_fraud", "--categorical", "country,lat"], "did you mean 'late'"),
    (["--target", "is_fraud", "--ignore", "is_fraud"], "both --target and --ignore"),
    (["--target", "is_fraud", "--keep", "is_fraud"], "both --target and --keep"),
    (["--target", "is_fraud", "--keep", "id", "--ignore", "id"], "both --ignore and --keep"),
    (["--target", "is_fraud", "--keep", "id", "--drop", "id"], "both --keep and --drop"),
    (["--target", "is_fraud,late", "--categorical", "late"], "--categorical"),
    (["--target", "is_fraud", "--ignore", "id,amount,country,late"], "No feature is left"),
    (["--target", "is_fraud", "--ignore", "id,amount,late", "--group-column", "country"], "No feature is left"),
    (["--target", "is_fraud", "--group-column", "contry"], "did you mean 'country'"),
    (["--target", "is_fraud", "--time-column", "lat"], "did you mean 'late'"),
    (["--target", "is_fraud", "--weight-column", "amuont"], "did you mean 'amount'"),
    (["--target", "is_fraud", "--group-column", "is_fraud"], "both --target and --group-column"),
    (["--target", "is_fraud", "--time-column", "late", "--keep", "late"], "both --keep and --time-column"),
    (["--target", "is_fraud", "--weight-column", "late", "--categorical", "late"], "--weight-column and --categorical"),
    (["--target", "is_fraud", "--time-column", "id,late"], "--time-column takes one column"),
    (["--target", ","], "--target"),
    (["--target", "is_fraud", "--seed", "-1"], "--seed"),
    (["--target", "is_fraud", "--out", "data.csv"], "--out"),
]


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("arguments", "message"), BAD_COLUMNS, ids=[" ".join(arguments) for arguments, _ in BAD_COLUMNS]
)
def test_bad_options_exit_with_2_and_one_sentence_before_any_fit(selector, arguments, message, run, assert_refused):
    assert_refused(run("select", "data.csv", *arguments), message)
    assert selector.fitted == []


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "is empty"),
        ("amount,is_fraud\n", "no rows"),
        ("amount,is_fraud\n1,1\n2,0\n", "too few"),
        ("amount,is_fraud\n" + "1,1\n2,1\n" * 20, "is_fraud"),
        ("amount,is_fraud\n" + "1,1\n2,\n3,0\n" * 20, "is_fraud"),
        ("amount,is_fraud\n" + "1,1\ninf,0\n" * 20, "amount"),
        ("amount,is_fraud\n" + "1,0.5\n2,-inf\n3,1.5\n" * 20, "is_fraud"),
        ("amount,amount,is_fraud\n" + "1,2,1\n2,1,0\n" * 20, "amount"),
    ],
    ids=[
        *("empty file", "no rows", "two rows", "constant target", "missing target", "infinite", "infinite target"),
        "duplicate names",
    ],
)
def test_an_unusable_table_exits_with_2_and_one_sentence(folder, content, message, run, assert_refused):
    (folder / "bad.csv").write_text(content)
    assert_refused(run("select", "bad.csv", "--target", "is_fraud"), message)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--n-features", "9"], "9"),
        (["--n-features", "-1"], "-1"),
        (["--n-features", "0"], "0"),
        (["--n-features", "1", "--keep", "amount,late"], "keep"),
        (["--device", "abacus"], "abacus"),
        (["--solver", "magic"], "magic"),
        (["--time-limit", "-3"], "--time-limit"),
        (["--time-limit", "0"], "--time-limit"),
    ],
)
def test_invalid_settings_exit_with_2_and_one_sentence(folder, arguments, message, run, assert_refused):
    assert_refused(run("select", "data.csv", "--target", "is_fraud", *arguments), message)


@pytest.mark.parametrize("name", ["nowhere.csv", "nowhere/*.parquet", ".", "n" * 5000])
def test_missing_data_exit_with_2_and_one_sentence(tmp_path, monkeypatch, name, run, assert_refused):
    monkeypatch.chdir(tmp_path)
    assert_refused(run("select", name, "--target", "y"), name[:70])  # long names are shortened


def test_a_file_that_is_not_a_table_exits_with_2_and_one_sentence(folder, run, assert_refused):
    (folder / "bad.parquet").write_bytes(bytes(range(256)))
    assert_refused(run("select", "bad.parquet", "--target", "y"), "bad.parquet")
    (folder / "data.json").write_text("[]")
    assert_refused(run("select", "data.json", "--target", "y"), "'data.json' has an unknown type")


@pytest.mark.parametrize("command", ["select", "compare"])
def test_a_table_without_rows_exits_with_2_and_one_sentence(folder, command, run, assert_refused):
    (folder / "bad.csv").write_text("a,y\n")
    assert_refused(run(command, "bad.csv", "--target", "y"), "no rows")


def test_a_column_of_lists_exits_with_2_and_one_sentence(folder, run, assert_refused):
    parquet.write_table(pa.table({"items": [[1, 2]] * 20, "is_fraud": [0, 1] * 10}), "lists.parquet")
    sentence = "Column 'items' has list values"
    assert_refused(run("select", "lists.parquet", "--target", "is_fraud"), sentence)
    assert_refused(run("select", "lists.parquet", "--target", "items"), "Column 'items' has list values")


def test_options_reach_the_selector(folder, selector, run):
    result = run(
        *("select", "data.csv", "--target", "is_fraud", "--ignore", "id", "--keep", "late", "--drop", "amount"),
        *("--categorical", "late", "--n-features", 2, "--device", "cpu", "--seed", 7),
        *("--time-limit", 2.5, "--memory", "3GB", "--cache", "work", "--resume"),
    )
    assert result.exit_code == 0
    callbacks = selector.seen.pop("callbacks")
    assert [type(callback).__name__ for callback in callbacks] == ["ProgressBar", "StopRequest"]
    assert selector.seen == {
        "n_features_to_select": 2,
        "categorical_features": {"late": True},
        "target_type": "auto",
        "keep": ("late",),
        "drop": ("amount",),
        "device": "cpu",
        "time_limit": 2.5,
        "random_state": 7,
        "max_memory": "3GB",
        "cache_dir": Path("work"),
        "resume": True,
        "verbose": 0,
    }
    assert selector.fitted == [(["amount", "country", "late"], ["is_fraud"])]


def test_proven_only_reaches_the_selector(folder, selector, run):
    assert run("select", "data.csv", "--target", "is_fraud").exit_code == 0
    assert not selector.seen.get("proven_only")
    assert run("select", "data.csv", "--target", "is_fraud", "--proven-only").exit_code == 0
    assert selector.seen["proven_only"] is True
    assert "--proven-only" in run("select", "--help").output


def test_proven_only_is_refused_with_the_solver_paper(folder, run, assert_refused):
    result = run("select", "data.csv", "--target", "is_fraud", "--solver", "paper", "--proven-only")
    assert_refused(result, "--proven-only cannot be combined with --solver paper")


def test_json_has_what_is_left_behind(folder, selector, run):
    selector.answer = supported_selection()
    result = run("select", "data.csv", "--target", "is_fraud", "--json")
    assert json.loads(result.stdout)["left_behind"]["high"] == 0.007


def test_the_solver_paper_fits_the_paper_selector(folder, selector, monkeypatch, run):
    monkeypatch.setattr("minerva_select.selectors.PaperSelector", selector)
    monkeypatch.delattr("minerva_select.selectors.MinervaSelector")
    assert run("select", "data.csv", "--target", "is_fraud", "--solver", "paper").exit_code == 0
    assert len(selector.fitted) == 1


def test_group_time_and_weight_columns_reach_the_fit_and_are_not_features(folder, selector, run):
    options = ("--group-column", "country", "--time-column", "id", "--weight-column", "amount", "--ignore", "country")
    assert run("select", "data.csv", "--target", "is_fraud", *options).exit_code == 0
    assert selector.fitted == [(["late"], ["is_fraud"])]
    assert selector.rows.keys() == {"groups", "times", "sample_weight"}
    assert selector.rows["groups"].column_names == ["country"]
    assert selector.rows["times"].column_names == ["id"]
    assert selector.rows["sample_weight"].to_pylist() == [i * 1.5 for i in range(20)]


def test_missing_times_exit_with_2_and_name_the_column(folder, run, assert_refused):
    (folder / "bad.csv").write_text("amount,opened,is_fraud\n" + "1,2024-01-05,1\n2,,0\n" * 20)
    result = run("select", "bad.csv", "--target", "is_fraud", "--time-column", "opened")
    assert_refused(result, "times 'opened' has 20 missing values")


def test_several_targets_can_be_categorical(folder, selector, run):
    result = run("select", "data.csv", "--target", "late,is_fraud", "--categorical", "is_fraud,late,id")
    assert result.exit_code == 0
    assert selector.fitted == [(["id", "amount", "country"], ["is_fraud", "late"])]
    assert (selector.seen["target_type"], selector.seen["categorical_features"]) == ("discrete", {"id": True})


def test_a_column_with_a_comma_in_its_name_can_be_the_target(folder, selector, run):
    (folder / "comma.csv").write_text('"last, first",a\n' + "1,2\n0,3\n" * 10)
    assert run("select", "comma.csv", "--target", "last, first").exit_code == 0
    assert selector.fitted == [(["a"], ["last, first"])]


def test_without_out_nothing_is_written(folder, selector, run):
    assert run("select", "data.csv", "--target", "is_fraud").exit_code == 0
    assert [path.name for path in folder.iterdir()] == ["data.csv"]


def test_out_contains_selection_and_report(folder, selector, run, answer):
    result = run("select", "data.csv", "--target", "is_fraud", "--out", "new/results")
    assert result.exit_code == 0
    assert Selection.load("new/results/selection.json") == answer
    assert (folder / "new/results/report.html").read_text(encoding="utf-8").startswith("<!doctype html>")
    assert "Wrote new/results/selection.json and new/results/report.html." in result.stderr


def test_json_is_the_only_thing_on_stdout(folder, selector, run, answer):
    result = run("select", "data.csv", "--target", "is_fraud", "--json", "--out", "results")
    assert Selection.from_json(result.stdout) == answer


def test_quiet_prints_one_name_per_line(folder, selector, run, answer):
    result = run("select", "data.csv", "--target", "is_fraud", "--quiet", "--out", "results")
    assert result.stdout == "a\nb\\nc\n"
    assert result.stderr == ""
    assert Selection.load("results/selection.json") == answer


def test_table_and_headline_are_printed_without_color_codes(folder, selector, run, answer):
    result = run("select", "data.csv", "--target", "is_fraud")
    assert "0.500 (0.480 to 0.520)" in result.stdout
    assert text.headline(answer) in " ".join(result.stdout.split())
    assert "\x1b" not in result.stdout + result.stderr


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("error", "ending"),
    [
        (KeyboardInterrupt(), (130, "", "minerva: Interrupted.\n")),
        (errors.DivergenceError("Training\ndiverged."), (2, "", "minerva: Training\\ndiverged.\n")),
        (errors.MissingPackageError("Install lightgbm."), (2, "", "minerva: Install lightgbm.\n")),
    ],
)
def test_a_failed_fit_prints_one_line_and_writes_no_files(selector, monkeypatch, error, ending, run):
    def fail(self, X, y):
        raise error

    monkeypatch.setattr(selector, "fit", fail)
    result = run("select", "data.csv", "--target", "is_fraud", "--out", "results", "--quiet")
    assert (result.exit_code, result.stdout, result.stderr) == ending
    assert list(Path("results").iterdir()) == []


def test_resume_needs_a_folder(folder, run, assert_refused):
    assert_refused(run("select", "data.csv", "--target", "is_fraud", "--resume"), "--resume")


@pytest.mark.parametrize("memory", ["lots", "-3GB", "12"])
def test_invalid_memory_exits_with_2_and_one_sentence(folder, memory, run, assert_refused):
    assert_refused(run("select", "data.csv", "--target", "is_fraud", f"--memory={memory}"), memory)
