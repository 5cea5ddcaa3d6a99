"""Table files for the fuzzer: valid seeds of every format, and the checks of a fuzzed file.

The first byte of an input selects how the rest is used: file name, compression, one file or a folder of files.
"""

import gzip
import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from pyarrow import compute, csv, feather, parquet

from minerva_select import open_source
from minerva_select.data.frames import as_table
from minerva_select.data.loading import read_table
from minerva_select.errors import MinervaError
from minerva_select.schema import Table


class WrongAnswerError(Exception):
    """A file was accepted but read incorrectly."""


def sample_table(n_rows: int = 40) -> Any:
    """Build a table with columns of every supported type."""
    rng = np.random.default_rng(0)
    missing = rng.random(n_rows) < 0.2
    words = rng.choice(["NL", "IT", "", "a longer text, with a comma"], n_rows)
    columns = {
        "whole": pa.array(rng.integers(-5, 500, n_rows), mask=missing),
        "real": pa.array(rng.normal(size=n_rows), mask=missing),
        "half": pa.array(rng.normal(size=n_rows).astype(np.float16)),
        "small": pa.array(rng.integers(0, 9, n_rows), pa.uint8()),
        "text": pa.array(words, mask=missing),
        "level": pa.array(words).dictionary_encode(),
        "flag": pa.array(rng.random(n_rows) < 0.5, mask=missing),
        "day": pa.array(rng.integers(0, 20_000, n_rows), pa.int32()).cast(pa.date32()),
        "moment": pa.array(rng.integers(0, 2**50, n_rows)).cast(pa.timestamp("us", "UTC")),
        "clock": pa.array(rng.integers(0, 86_400, n_rows), pa.int32()).cast(pa.time32("s")),
        "price": pa.array([None if k % 7 == 0 else f"{k}.25" for k in range(n_rows)]).cast(pa.decimal128(9, 2)),
        "bytes": pa.array([bytes([k, 255 - k]) for k in range(n_rows)]),
        "none": pa.nulls(n_rows),
        "list": pa.array([[k, None] for k in range(n_rows)]),
    }
    return pa.table(columns)


def compare_readings(path: Path) -> str:
    """Read a table in memory and in blocks: both must fail, or both must give the same columns."""
    whole = _attempt(lambda: as_table(read_table(path)))
    streamed = _attempt(lambda: _stream(path))
    if isinstance(whole, str) or isinstance(streamed, str):
        if isinstance(whole, str) and isinstance(streamed, str):
            return whole
        if isinstance(streamed, str) and "cannot be read in blocks" in streamed:
            return streamed
        raise WrongAnswerError(f"in memory: {whole}, in blocks: {streamed}"[:300])
    if whole.n_rows != streamed.n_rows or whole.names != streamed.names:
        raise WrongAnswerError(f"{whole.n_rows} rows of {whole.names} in memory, {streamed.n_rows} in blocks")
    for one, other in zip(whole.columns, streamed.columns, strict=True):
        same_levels = (one.levels is None) == (other.levels is None) and list(_or_empty(one)) == list(_or_empty(other))
        if not same_levels or not np.array_equal(one.values, other.values, equal_nan=True):
            raise WrongAnswerError(f"column {one.name!r} differs between memory and blocks")
    return "read as " + " ".join(
        sorted({"text" if column.levels is not None else "number" for column in whole.columns})
    )


def _or_empty(column: Any) -> Any:
    return () if column.levels is None else column.levels


def _stream(path: Path) -> Table:
    with open_source(path) as source:
        return as_table(pa.concat_tables(source.blocks(7)).unify_dictionaries())


def _attempt(read: Callable[[], Table]) -> Table | str:
    try:
        return read()
    except MinervaError as error:
        check_sentence(error)
        return f"{type(error).__name__}: {error}"


def check_sentence(error: MinervaError) -> None:
    """Raise unless the message is a single line of reasonable length."""
    if "\n" in str(error) or len(str(error)) > 2_000:
        raise WrongAnswerError(f"{type(error).__name__} of {len(str(error))} characters: {str(error)[:200]!r}")


def run_csv(data: bytes, folder: Path) -> str:
    how, text = data[:1], data[1:]
    if how == b"1":
        path = folder / "table.csv.gz"
        path.write_bytes(gzip.compress(text, 1))
    else:
        path = folder / {b"2": "table.csv.gz", b"3": "table.tsv"}.get(how, "table.csv")
        path.write_bytes(text)
    return compare_readings(path)


def csv_seeds() -> list[bytes]:
    table = sample_table(12).drop_columns(["list", "bytes", "half"])
    text = io.BytesIO()
    plain = [
        field.with_type(field.type.value_type) if pa.types.is_dictionary(field.type) else field
        for field in table.schema
    ]
    csv.write_csv(table.cast(pa.schema(plain)), text)
    texts = [
        text.getvalue(),
        b"name;height\nAnn;1,62\nBob;\n",
        b'a\tb\r\n"x\n""y"\t1\r\n\t2\r\n',
        b"\xef\xbb\xbfa|b\n1|0x1F\n-1e400|nan\n",
        "größe,日\n1,ä\n2,\u2028\n".encode(),
        b"a,a\n1,2\n",
        b"1\n2\n",
        b"d,t\n2020-01-01,00:00:01\n2020-01-01 10:00:00,x\n2020-01-01T10:00:00.123456789Z,\n",
    ]
    packed = [b"2" + gzip.compress(text, mtime=0) for text in texts[:3]]
    return [how + text for how in (b"0", b"1", b"3") for text in texts] + packed


def run_parquet(data: bytes, folder: Path) -> str:
    how, content = data[:1], data[1:]
    if how not in b"12" or not how:
        path = folder / "table.parquet"
        path.write_bytes(content)
        return compare_readings(path)
    path = folder / "tables"
    hostile = path / ("part=1" if how == b"2" else "") / "b.parquet"
    if not path.exists():
        hostile.parent.mkdir(parents=True)
        parquet.write_table(sample_table(5), path / "a.parquet")
    hostile.parent.mkdir(exist_ok=True)
    hostile.write_bytes(content)
    try:
        return compare_readings(path)
    finally:
        hostile.unlink()


def parquet_seeds() -> list[bytes]:
    table = sample_table()
    few = table.select(["whole", "text", "level"])
    variants: list[tuple[Any, dict[str, Any]]] = [
        (table, {"compression": "none"}),
        (table, {"compression": "snappy", "row_group_size": 16}),
        (few, {"compression": "none", "use_dictionary": False}),
        (few, {"compression": "zstd", "data_page_version": "2.0", "write_page_index": True}),
        (few, {"compression": "gzip", "version": "1.0", "write_page_checksum": True}),
        (
            few.select(["whole"]),
            {"compression": "none", "column_encoding": "DELTA_BINARY_PACKED", "use_dictionary": False},
        ),
        (few.select(["text"]), {"compression": "none", "column_encoding": "DELTA_BYTE_ARRAY", "use_dictionary": False}),
        (table.select(["list"]), {"compression": "none", "store_schema": False}),
        (few.slice(0, 0), {}),
    ]
    files = []
    for content, options in variants:
        sink = io.BytesIO()
        parquet.write_table(content, sink, **options)
        files.append(sink.getvalue())
    return [b"0" + file for file in files] + [how + file for how in (b"1", b"2") for file in files[2:4]]


def run_arrow(data: bytes, folder: Path) -> str:
    path = folder / ("table.feather" if data[:1] == b"0" else "table.arrow")
    path.write_bytes(data[1:])
    return compare_readings(path)


def arrow_seeds() -> list[bytes]:
    table = sample_table()
    few = table.select(["whole", "text", "level", "flag"])
    files = []
    for content in (table, few):
        for compression in ("uncompressed", "lz4", "zstd"):
            sink = io.BytesIO()
            feather.write_feather(content, sink, compression=compression, chunksize=16)
            files.append(b"0" + sink.getvalue())
        stream = pa.BufferOutputStream()
        with pa.ipc.new_stream(stream, content.schema) as writer:
            writer.write_table(content, max_chunksize=16)
        files.append(b"1" + stream.getvalue().to_pybytes())
    odd = pa.table({
        "view": few["text"].cast(pa.string_view()),
        "large": few["text"].cast(pa.large_string()),
        "runs": compute.run_end_encode(few["whole"].combine_chunks()),
        "span": few["whole"].cast(pa.duration("ms")),
        "uuid": pa.ExtensionArray.from_storage(pa.uuid(), pa.array([bytes(16)] * len(few), pa.binary(16))),
    })  # fmt: skip
    sink = io.BytesIO()
    with pa.ipc.new_file(sink, odd.schema) as writer:
        writer.write_table(odd)
    first = io.BytesIO()
    try:
        feather.write_feather(few.select(["whole", "text", "flag"]), first, version=1)
    except (ValueError, TypeError):  # this version of Arrow no longer writes it
        first.write(b"FEA1")
    return [*files, b"0" + sink.getvalue(), b"0" + first.getvalue()]
