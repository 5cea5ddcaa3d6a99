"""Stores of encoded rows with malicious bytes."""

import json

import pandas as pd
import pytest
import torch

from minerva_select import open_source
from minerva_select.data.encoded_store import EncodedStore
from minerva_select.data.frames import as_table
from minerva_select.errors import InputError
from minerva_select.preprocessing.column_types import infer_column_types
from minerva_select.preprocessing.table_encoder import TableEncoder

FRAME = pd.DataFrame({"amount": [float(k) for k in range(30)], "country": ["NL", "IT", "FR"] * 10})
ENCODER = TableEncoder(infer_column_types(as_table(FRAME))).fit(as_table(FRAME))


def build(folder):
    return EncodedStore.build(open_source(FRAME), ENCODER, folder, key="k")


def rows(store):
    found = store.rows().take(torch.arange(30))
    return found.quantiles.tolist(), found.codes.tolist()


@pytest.fixture
def cache(tmp_path):
    folder = tmp_path / "cache"
    build(folder)
    return folder


def edited(**fields):
    return lambda header: json.dumps(json.loads(header) | fields)


HOSTILE = {
    "empty": lambda header: "",
    "a list": lambda header: "[]",
    "nested without end": lambda header: "[" * 100_000,
    "rows in words": edited(n_rows="many"),
    "a fraction of a row": edited(n_rows=30.5),
    "rows beyond counting": edited(n_rows=10**400),
    "more rows": edited(n_rows=31),
    "fewer rows": edited(n_rows=29, n_written=29),
    "fewer rows than none": edited(n_written=-1),
    "more rows written than there are": edited(n_written=31),
    "no columns": edited(n_numeric=0, n_levels=[], positions=[]),
    "columns less than none": edited(n_numeric=-1, n_written=0),
    "other levels": edited(n_levels=[3]),
    "levels of levels": edited(n_levels=[[4]]),
    "columns elsewhere": edited(positions=[0, 5]),
    "a field more": edited(folder="/etc"),
}


@pytest.mark.parametrize("hostile", HOSTILE.values(), ids=HOSTILE.keys())
def test_a_header_of_another_table_is_refused(cache, hostile):
    header = cache / "store.json"
    header.write_text(hostile(header.read_text()))
    with pytest.raises(InputError, match="is damaged"):
        build(cache)


@pytest.mark.parametrize("name", ["quantiles.bin", "codes.bin"])
@pytest.mark.parametrize("cut", [slice(0, -1), slice(0, 0)], ids=["shorter", "empty"])
def test_truncated_rows_are_refused(cache, name, cut):
    (cache / name).write_bytes((cache / name).read_bytes()[cut])
    with pytest.raises(InputError, match="is damaged"):
        build(cache)


@pytest.mark.parametrize("name", ["quantiles.bin", "codes.bin"])
def test_bytes_after_the_last_row_are_refused(cache, name):
    (cache / name).write_bytes((cache / name).read_bytes() + b"\0\0")
    with pytest.raises(InputError, match="is damaged"):
        build(cache)


def test_codes_that_are_not_levels_are_refused(cache):
    codes = bytearray((cache / "codes.bin").read_bytes())
    codes[17] = 5  # codes 0 to 4 are missing, unseen and three countries
    (cache / "codes.bin").write_bytes(codes)
    with pytest.raises(InputError, match="is damaged"):
        build(cache)


def test_rows_after_the_recorded_ones_are_written_again(cache):
    expected = rows(build(cache))
    header = cache / "store.json"
    header.write_text(edited(n_written=12)(header.read_text()))
    for name in ("quantiles.bin", "codes.bin"):
        size = {"quantiles.bin": 2, "codes.bin": 1}[name] * 12
        (cache / name).write_bytes((cache / name).read_bytes()[:size] + b"\xff" * 77)
    assert rows(build(cache)) == expected
