"""The command that is saved with a selection."""

from __future__ import annotations

import dataclasses

import pytest

from full_selection import full_selection
from minerva_select.io.redaction import without_secrets
from minerva_select.results import Selection


@pytest.mark.parametrize(
    ("typed", "kept"),
    [
        ("data.csv", "data.csv"),
        ("user@host", "user@host"),
        ("s3://store/part-?.parquet", "s3://store/part-?.parquet"),
        ("s3://store/a@b/part.parquet", "s3://store/a@b/part.parquet"),
        ("https://store:8443/part.parquet", "https://store:8443/part.parquet"),
        ("ftp://ann:secret@store/part.parquet", "ftp://store/part.parquet"),
        ("ftp://ann@store/part.parquet", "ftp://store/part.parquet"),
        ("s3://KEY:se/cr+et@store/part.parquet", "s3://store/part.parquet"),
        ("ftp://ann:se@cret@store/part.parquet", "ftp://store/part.parquet"),
        ("simplecache::ftp://ann:secret@store/x.csv", "simplecache::ftp://store/x.csv"),
        ("https://store/x.csv?sig=secret&until=3", "https://store/x.csv?..."),
        ("--data=ftp://ann:secret@store/x.csv", "--data=ftp://store/x.csv"),
    ],
)
def test_urls_are_saved_without_passwords(typed, kept):
    assert without_secrets(typed) == kept


def test_the_saved_selection_contains_command_and_data(folder, selector, run):
    selector.answer = full_selection()
    arguments = ("select", "data.csv", "--target", "is_fraud", "--ignore", "id, amount", "--out", "results")
    assert run(*arguments).exit_code == 0
    saved = Selection.load("results/selection.json").provenance
    assert saved.command == "minerva select data.csv --target is_fraud --ignore 'id, amount' --out results"
    assert saved.data == "data.csv"
    rest = {"command": None, "data": None}
    assert dataclasses.replace(saved, **rest) == dataclasses.replace(full_selection().provenance, **rest)


def test_a_selection_without_provenance_is_unchanged(folder, selector, answer, run):
    assert run("select", "data.csv", "--target", "is_fraud", "--out", "results").exit_code == 0
    assert Selection.load("results/selection.json") == answer
