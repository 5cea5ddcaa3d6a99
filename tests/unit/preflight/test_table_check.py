"""Claim: every fault of a table is found before a fit, and nothing on clean tables."""

from __future__ import annotations

import json
import time

import numpy as np
import pandas as pd
import pytest
from faulty_tables import CLEAN, faulty

from minerva_select import check_table, open_source
from minerva_select.codes import FindingCode
from minerva_select.errors import InputError


@pytest.fixture(scope="module")
def check():
    X, y, times = faulty()
    return check_table(X, y, times=times)


def columns(check, code):
    return {name for finding in check.of(code) for name in finding.columns}


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        (FindingCode.MISSING_TARGET, {"was_late"}),
        (FindingCode.INFINITE_VALUES, {"distance"}),
        (FindingCode.SINGLE_MEMBER_CLASSES, {"was_late"}),
        (FindingCode.LEAK, {"refund_amount"}),
        (FindingCode.LEAK_BY_PRESENCE, {"closed"}),
        (FindingCode.LEAK_BY_TIME, {"delivered", "shipped", "booked"}),
        (FindingCode.LEAK_BY_NAME, {"late_score"}),
        (FindingCode.DATES_AS_TEXT, {"shipped", "booked"}),
        (FindingCode.NUMBERS_AS_TEXT, {"price"}),
        (FindingCode.CODES_AS_NUMBERS, {"shop", "postal code"}),
        (FindingCode.IDENTIFIER, {"customer", "reference"}),
        (FindingCode.FREE_TEXT, {"note"}),
        (FindingCode.NEAR_COPY, {"amount", "amount_cents"}),
        (FindingCode.CONSTANT, {"currency"}),
        (FindingCode.ALL_MISSING, {"discount"}),
    ],
)
def test_a_table_with_every_fault_has_each_found_in_its_columns_only(check, code, expected):
    assert columns(check, code) == expected


def test_in_python_parameters_are_named_instead_of_options(check):
    lines = {line.partition("'")[2].partition("'")[0]: line for line in str(check).splitlines() if "'" in line}
    assert lines["refund_amount"].endswith("drop=['refund_amount']")
    assert lines["shop"].endswith("categorical_features={'shop': True}")
    assert "--" not in str(check)
    (wrong,) = (finding for finding in check.of(FindingCode.DATES_AS_TEXT) if finding.columns == ("shipped",))
    X, _, _ = faulty()
    assert f"format={wrong.values['formats'][0]!r})" in lines["shipped"]
    assert pd.to_datetime(X["shipped"], format=wrong.values["formats"][0]).notna().any()


def test_copies_of_rows_are_counted(check):
    (finding,) = check.of(FindingCode.DUPLICATED_ROWS)
    assert finding.values["n_duplicated"] == 60


def test_a_target_of_1500_strings_is_found():
    y = np.array([f"name {k % 1500}" for k in range(3000)], dtype=object)
    check = check_table(pd.DataFrame({"x": np.random.default_rng(0).normal(size=3000)}), y)
    (finding,) = check.of(FindingCode.MANY_CLASSES)
    assert finding.values == {"n_classes": 1500, "n_rows": 3000}


@pytest.mark.parametrize(("n_common", "expected"), [(1, ()), (2, ("--where", "y != 'rare'"))])
def test_a_class_of_one_row_is_left_out_if_two_classes_remain(n_common, expected):
    y = pd.Series([f"c{k % n_common}" for k in range(99)] + ["rare"], name="y")
    check = check_table(pd.DataFrame({"x": np.random.default_rng(0).normal(size=100)}), y)
    (finding,) = check.of(FindingCode.SINGLE_MEMBER_CLASSES)
    assert finding.options == expected


def test_a_class_that_is_a_date_is_named_by_its_day():
    y = pd.Series(pd.to_datetime(["2024-01-01", "2024-01-02"] * 50 + ["2025-03-01"]), name="y")
    check = check_table(pd.DataFrame({"x": np.random.default_rng(0).normal(size=101)}), y)
    (finding,) = check.of(FindingCode.SINGLE_MEMBER_CLASSES)
    assert finding.options == ("--where", "y != 2025-03-01")


def test_every_code_is_tested(check):
    assert {finding.code for finding in check.findings} | {FindingCode.MANY_CLASSES} == {*FindingCode}


def test_the_most_serious_findings_come_first(check):
    order = [list(FindingCode).index(finding.code) for finding in check.findings]
    assert order == sorted(order)


@pytest.mark.parametrize("name", CLEAN)
def test_nothing_is_found_in_a_clean_table(name):
    assert check_table(*CLEAN[name]()).findings == ()


def test_every_finding_has_a_sentence_and_survives_json(check):
    for finding in check.findings:
        assert str(finding).endswith(".")
    document = json.loads(check.to_json())
    assert [one["code"] for one in document["findings"]] == [str(finding.code) for finding in check.findings]


def test_dropped_columns_are_not_checked():
    X, y, _ = faulty(500)
    assert "customer" not in columns(check_table(X, y, drop=["customer"]), FindingCode.IDENTIFIER)


def test_columns_that_are_categorical_on_request_are_not_reported_as_numbers():
    X, y, _ = faulty()
    check = check_table(X[["shop", "postal code"]], y, categorical_features={"shop": True})
    assert columns(check, FindingCode.CODES_AS_NUMBERS) == {"postal code"}


def test_codes_are_found_by_a_random_relation_to_the_target_and_quantities_are_not():
    rng = np.random.default_rng(5)
    value = rng.integers(51, size=4000)
    smooth = np.sin(np.arange(51) / 8)
    for share, is_code in ((rng.permutation(smooth), True), (smooth, False)):
        y = (rng.random(4000) < 0.5 + 0.4 * share[value]).astype(int)
        check = check_table(pd.DataFrame({"value": value}), y)
        assert bool(check.of(FindingCode.CODES_AS_NUMBERS)) is is_code


def test_day_and_month_that_cannot_be_told_apart_are_both_named():
    days = [f"{k % 12 + 1:02d}/{k % 11 + 1:02d}/2024" for k in range(200)]
    (finding,) = check_table(pd.DataFrame({"day": days}), np.arange(200) % 2).of(FindingCode.DATES_AS_TEXT)
    assert finding.values["formats"] == ["%d/%m/%Y", "%m/%d/%Y"]
    assert finding.options == ("--date", "day=%d/%m/%Y")


def test_a_large_table_is_checked_on_rows_from_all_parts(tmp_path):
    n = 60_000
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(n, 60)).astype(np.float32)).add_prefix("f")
    X["last"] = np.where(np.arange(n) < n - 100, 1.0, 2.0)  # constant but for the last rows
    X.to_parquet(tmp_path / "rows.parquet", row_group_size=5000)
    y = rng.integers(2, size=n)
    for table in (X, open_source(tmp_path / "rows.parquet")):
        check = check_table(table, y)
        assert (check.n_rows, check.n_columns) == (n, 61)
        assert 20_000 < check.n_rows_checked < 40_000
        assert check.findings == ()


def test_some_columns_of_a_very_wide_table_are_checked():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(200, 7000)), rng.integers(2, size=200)
    check = check_table(X, y)
    assert (check.n_columns, check.n_rows_checked, check.n_columns_checked) == (7000, 200, 3000)
    assert "3,000 columns" in str(check)
    assert check_table(X[:, :3000], y).n_columns_checked == 3000


@pytest.mark.parametrize(
    ("X", "y", "message"),
    [
        (np.ones((20, 2)), np.ones(20), "only one value"),
        (np.ones((20, 2)), np.ones(19), "same number"),
        (np.ones((20, 2)), [None] * 20, "no values"),
        (np.ones((4, 2)), [0, 1, 0, 1], "too few"),
        (np.ones((20, 2)), [np.inf, 1.0] * 10, "infinite"),
        ("rows.csv", [0, 1], "open_source"),
    ],
)
def test_bad_input_is_one_sentence(X, y, message):
    with pytest.raises((InputError, TypeError), match=message) as error:
        check_table(X, y)
    assert "\n" not in str(error.value)


def test_columns_are_named_by_position_as_in_a_fit():
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.integers(51, size=2000), rng.normal(size=2000)])
    share = rng.permutation(np.linspace(0.1, 0.9, 51))[X[:, 0].astype(int)]
    y = (rng.random(2000) < share).astype(int)
    assert columns(check_table(X, y), FindingCode.CODES_AS_NUMBERS) == {"x0"}
    for parameters in ({"categorical_features": [0]}, {"drop": [0]}):
        assert columns(check_table(X, y, **parameters), FindingCode.CODES_AS_NUMBERS) == set()
    with pytest.raises(InputError, match="categorical_features"):
        check_table(X, y, categorical_features={"x9": True})


def test_an_unknown_column_to_drop_is_refused():
    with pytest.raises(InputError, match="x9"):
        check_table(np.eye(20), np.arange(20) % 2, drop=["x99"])
    with pytest.raises(InputError, match="all columns"):
        check_table(np.eye(20)[:, :2], np.arange(20) % 2, drop=["x0", "x1"])


def test_50000_rows_of_20_columns_take_about_a_second():
    rng = np.random.default_rng(0)
    X, y = pd.DataFrame(rng.normal(size=(50_000, 20))).add_prefix("f"), rng.integers(2, size=50_000)
    start = time.process_time()
    check_table(X, y)
    assert time.process_time() - start < 3  # measured: 0.4
