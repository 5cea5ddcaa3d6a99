"""Dates that are stored as text or numbers."""

from __future__ import annotations

import datetime

import pyarrow as pa
import pytest

from minerva_select.data.date_text import (
    FORMATS,
    check_format,
    choose_format,
    fitting_formats,
    guess_format,
    parse_dates,
)
from minerva_select.errors import InputError

DAYS = [
    datetime.datetime(2023, month, day, 14, 5, 9, tzinfo=datetime.UTC) for month in (1, 5, 12) for day in (1, 13, 28)
]


@pytest.mark.parametrize("date_format", FORMATS)
def test_every_format_is_recognized_from_dates_of_a_year(date_format):
    texts = [day.strftime(date_format) for day in DAYS]
    assert choose_format("when", fitting_formats(texts)) is not None
    assert date_format in fitting_formats(texts)


@pytest.mark.parametrize("date_format", ["%d/%m/%Y", "%Y%m%d", "%d %b %Y %H:%M:%S", "%Y-%m-%dT%H:%M:%S%z"])
def test_dates_are_parsed_in_utc(date_format):
    column = pa.chunked_array([[day.strftime(date_format) for day in DAYS], ["?", None]])
    expected = [
        datetime.datetime.strptime(text, date_format).replace(tzinfo=None) if text not in ("?", None) else None
        for text in column.to_pylist()
    ]
    assert parse_dates("when", column, date_format).to_pylist() == expected


def test_a_time_zone_is_converted_to_utc():
    column = pa.chunked_array([["2023-01-01T00:30:00+0200"]])
    parsed = parse_dates("when", column, "%Y-%m-%dT%H:%M:%S%z")
    assert parsed.to_pylist() == [datetime.datetime(2022, 12, 31, 22, 30)]


def test_a_time_before_year_one_in_utc_is_refused():
    with pytest.raises(InputError, match="'0001-01-01"):
        parse_dates("when", pa.chunked_array([["0001-01-01T00:00:00+1400"]]), "%Y-%m-%dT%H:%M:%S%z")


def test_integers_can_be_dates():
    parsed = parse_dates("when", pa.chunked_array([[20230131, None]]), "%Y%m%d")
    assert parsed.to_pylist() == [datetime.datetime(2023, 1, 31), None]


def test_the_first_value_that_does_not_fit_is_named():
    with pytest.raises(InputError, match=r"'when'.*'31/12/2023'.*%Y-%m-%d"):
        parse_dates("when", pa.chunked_array([["2023-01-01", "31/12/2023", "nonsense"]]), "%Y-%m-%d")


@pytest.mark.parametrize("kind", [pa.date32(), pa.timestamp("s")])
def test_a_format_in_another_order_than_that_of_a_column_of_dates_is_refused(kind):
    column = pa.chunked_array([pa.array([None, *DAYS], type=pa.timestamp("s")).cast(kind, safe=False)])
    for date_format in ("%d/%m/%Y", "%Y-%d-%m", "%Y"):
        with pytest.raises(InputError, match=rf"'2023-01-01.*{date_format};.*leave the format out"):
            parse_dates("when", column, date_format)
        missing = pa.chunked_array([pa.nulls(3, kind)])
        assert parse_dates("when", missing, date_format) is missing
    for date_format in ("%Y-%m-%d", "%Y-%m-%dT%H:%M", "%F", "%Y %b %d"):
        assert parse_dates("when", column, date_format) is column


def test_dates_that_can_be_read_in_two_ways_are_refused():
    with pytest.raises(InputError, match=r"%d/%m/%Y or when=%m/%d/%Y"):
        choose_format("when", guess_format("when", pa.chunked_array([["01/02/2023", "03/04/2023"]])))


def test_text_that_is_no_date_is_refused_with_a_value():
    with pytest.raises(InputError, match="'soon'"):
        guess_format("when", pa.chunked_array([["2023-01-01", "soon"]]))


def test_columns_of_other_types_are_refused():
    with pytest.raises(InputError, match="'when' has type double"):
        parse_dates("when", pa.chunked_array([[1.5]]), "%Y")


@pytest.mark.parametrize("date_format", ["dd/mm/yyyy", "", "%Q", "%", "%d/%d"])
def test_a_format_that_is_none_is_refused(date_format):
    with pytest.raises(InputError, match="--date"):
        check_format("--date", date_format)
