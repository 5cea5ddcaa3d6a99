"""Numbers in a notation for people."""

from __future__ import annotations

import math

import pyarrow as pa
import pytest

from minerva_select.data.number_text import NumberFormat, parse_numbers
from minerva_select.errors import InputError


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (["1,200", "13.5", "-4"], [1200, 13.5, -4]),
        (["1.200", "13,5", "1.234.567,25"], [1200, 13.5, 1234567.25]),
        (["1.200.300", "5"], [1200300, 5]),
        (["12,34", "0,125"], [12.34, 0.125]),
        (["$1,200.50", "-$3", "€ 7", "(12)"], [1200.5, -3, 7, -12]),
        (["12.3%", "+5 %"], [12.3, 5]),
        (["12,50 EUR", "1.234,00 EUR"], [12.5, 1234]),
        (["USD 1,200", "-USD3", "USD 0.5"], [1200, -3, 0.5]),
        (["1 000 000", "1'000", "2\u202f500"], [1e6, 1000, 2500]),
        (["1e3", "2.5E-2", ".5", "7."], [1000, 0.025, 0.5, 7]),
        (["\u22123"], [-3]),
    ],
)
def test_numbers_are_read_in_the_notation_of_their_column(texts, expected):
    assert parse_numbers("x", pa.chunked_array([texts])).to_pylist() == expected


@pytest.mark.parametrize(
    "text", ["twelve", "1,2,3", "12,34.5", "1.2.3", "--3", "12 34", "3 apples", "3 EURO", "EUR", "inf", "1,20,000"]
)
def test_other_texts_are_no_numbers(text):
    assert math.isnan(NumberFormat().read(text))


def test_marks_of_missing_values_and_nulls_become_missing():
    column = pa.chunked_array([["1", "?", None], ["n/a", "", " - "], ["2", "NA", "unknown"]])
    assert parse_numbers("x", column).to_pylist() == [1.0, *[None] * 5, 2.0, None, None]


def test_the_first_value_that_is_no_number_is_named():
    with pytest.raises(InputError, match=r"'x'.*'two'"):
        parse_numbers("x", pa.chunked_array([["1", "two"], ["three"]]))


def test_numbers_stay_as_they_are_and_booleans_become_0_and_1():
    assert parse_numbers("x", pa.chunked_array([[3, 4]])).type == pa.int64()
    assert parse_numbers("x", pa.chunked_array([[True, None]])).to_pylist() == [1, None]
