"""Files with malicious bytes, most of them found by fuzzing."""

import gzip
import io
import os
import resource
import struct
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet

from minerva_select import open_source
from minerva_select.data import loading
from minerva_select.data.frames import as_table
from minerva_select.data.loading import read_table
from minerva_select.errors import InputError, InputTypeError

TEXTS = ["ab", "cd", "ef"]
OFFSETS = struct.pack("<4i", 0, 2, 4, 6)


def read_in_blocks(path):
    with open_source(path) as source:
        return source.read()


@pytest.fixture(params=[read_table, read_in_blocks], ids=["whole", "in blocks"])
def read(request):
    return request.param


def arrow_file(table):
    sink = io.BytesIO()
    with pa.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table)
    return sink.getvalue()


def arrow_stream(table):
    sink = io.BytesIO()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return sink.getvalue()


def parquet_file(table, **options):
    sink = io.BytesIO()
    parquet.write_table(table, sink, **{"compression": "none", "use_dictionary": False, **options})
    return sink.getvalue()


def changed(data, old, new):
    assert len(old) == len(new)
    assert old in data
    return data.replace(old, new)


@pytest.mark.parametrize("write", [arrow_file, arrow_stream])
@pytest.mark.parametrize(
    "offsets",
    [(0, 2, 4, 2**31 - 1), (0, 2, 4, -1), (0, 2**30, 4, 6), (-8, 2, 4, 6)],
    ids=["past the end", "negative", "not ascending", "before the start"],
)
def test_text_offsets_outside_the_buffer_are_refused(tmp_path, read, write, offsets):
    data = changed(write(pa.table({"text": TEXTS})), OFFSETS, struct.pack("<4i", *offsets))
    path = tmp_path / "rows.arrow"
    path.write_bytes(data)
    with pytest.raises(InputError, match=r"rows\.arrow' cannot be read as Feather or Arrow: .*\."):
        read(path)


@pytest.mark.parametrize("write", [arrow_file, arrow_stream])
@pytest.mark.parametrize("kind", ["string_view", "binary_view"])
def test_offsets_of_missing_text_are_ignored(tmp_path, read, write, kind):
    views = pa.array(["a text of 20 letters", None, "ef"], pa.string()).cast(getattr(pa, kind)())
    cells = views.buffers()[1].to_pybytes()
    astray = struct.pack("<4i", -65_536, -1, 65_535, 0)  # length, prefix, buffer, offset
    data = changed(write(pa.table({"text": views})), cells[:32], cells[:16] + astray)
    path = tmp_path / "rows.arrow"
    path.write_bytes(data)
    assert read_table(path)["text"].to_pylist() == views.to_pylist()
    column = as_table(read(path)).columns[0]
    assert (column.levels.tolist(), column.values.tolist()) == (["a text of 20 letters", "ef"], [0, -1, 1])


@pytest.mark.parametrize("write", [arrow_file, arrow_stream])
def test_a_non_nullable_column_may_have_nulls(tmp_path, read, write):
    schema = pa.schema([pa.field("whole", pa.int64(), nullable=False)])
    path = tmp_path / "rows.arrow"
    path.write_bytes(write(pa.Table.from_arrays([pa.array([1, None, 3])], schema=schema)))
    assert read(path)["whole"].to_pylist() == [1, None, 3]


def test_nulls_in_non_nullable_lists_are_refused_as_lists(tmp_path):
    kind = pa.list_(pa.field("item", pa.int64(), nullable=False))
    inner = pa.array([1, None, 3])
    lists = pa.ListArray.from_arrays(pa.array([0, 2, 3], pa.int32()), inner, type=kind)
    path = tmp_path / "rows.arrow"
    path.write_bytes(arrow_stream(pa.table({"list": lists})))
    with pytest.raises(InputTypeError, match="'list' has list values"):
        as_table(read_table(path))


@pytest.mark.parametrize("write", [arrow_file, arrow_stream])
def test_an_empty_table_of_any_type_is_refused(tmp_path, read, write):
    kind = pa.sparse_union([pa.field("a", pa.int64()), pa.field("b", pa.string())])
    path = tmp_path / "rows.arrow"
    path.write_bytes(write(pa.Table.from_batches([], pa.schema([("mixed", kind)]))))
    with pytest.raises(InputError):
        as_table(read(path))


def test_timestamps_that_parquet_cannot_store_are_refused(tmp_path):
    path = tmp_path / "rows.arrow"
    path.write_bytes(arrow_stream(pa.table({"when": pa.array([0, 2**60], pa.timestamp("s"))})))
    with pytest.raises(InputError, match=r"rows\.arrow cannot be read in blocks: Integer overflow"):
        open_source(path)


def test_decimals_of_a_scale_beyond_float_range_are_refused(tmp_path):
    path = tmp_path / "rows.arrow"
    odd = pa.Array.from_buffers(pa.decimal128(9, 6000), 2, [None, pa.py_buffer(bytes(16) + b"\x07" + bytes(15))])
    path.write_bytes(arrow_file(pa.table({"price": odd})))
    with pytest.raises(InputError, match=r"'price' is decimal128\(9, 6000\)"):
        as_table(read_table(path))


@pytest.mark.parametrize("write", [arrow_file, arrow_stream])
def test_codes_outside_their_dictionary_are_refused(tmp_path, read, write):
    codes = pa.array([1, 0, 1, 0, 1, 0, 1, 0], pa.int8())
    table = pa.table({"level": pa.DictionaryArray.from_arrays(codes, ["NL", "IT"])})
    data = changed(write(table), bytes([1, 0, 1, 0, 1, 0, 1, 0]), bytes([1, 0, 1, 0, 1, 0, 9, 0]))
    path = tmp_path / "rows.arrow"
    path.write_bytes(data)
    with pytest.raises(InputError, match="cannot be read as Feather or Arrow"):
        read(path)


@pytest.mark.parametrize(
    ("name", "write"),
    [("a.arrow", arrow_file), ("a.arrow", arrow_stream), ("a.parquet", parquet_file)],
    ids=["Arrow file", "Arrow stream", "Parquet"],
)
@pytest.mark.parametrize("what", [b"cd", b"title"], ids=["text", "name"])
def test_text_and_names_that_are_not_utf_8_are_refused(tmp_path, read, name, write, what):
    path = tmp_path / name
    path.write_bytes(changed(write(pa.table({"title": TEXTS})), what, b"\xff" * len(what)))
    with pytest.raises(InputError, match=f"{name}' cannot be read as "):
        read(path)


def test_feather_version_1_is_refused_before_arrow_reads_it(tmp_path, read):
    path = tmp_path / "old.feather"
    path.write_bytes(b"FEA1" + b"\xff" * 60 + b"FEA1")
    with pytest.raises(InputError, match="Feather version 1"):
        read(path)


def varint(number):
    low, high = number & 127, number >> 7
    return bytes([low | 128]) + varint(high) if high else bytes([low])


def peak_growth(call):
    """Return the growth of the peak memory of this process during a call, in bytes."""
    Path("/proc/self/clear_refs").write_text("5")  # resets the peak
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    call()
    return 1024 * (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)


@pytest.mark.skipif(not os.access("/proc/self/clear_refs", os.W_OK), reason="only Linux tells")
@pytest.mark.parametrize("claimed", [b"\x15\x02\x19\xfc", b"\x15\x02\x68"], ids=["a list", "a text"])
def test_a_false_size_in_the_footer_takes_no_memory(tmp_path, read, claimed):
    footer = claimed + varint(999_999 if claimed.endswith(b"\xfc") else 99_999_999)  # items or bytes that do not follow
    path = tmp_path / "claims.parquet"
    path.write_bytes(b"PAR1" + footer + struct.pack("<I", len(footer)) + b"PAR1")

    def refuse():
        with pytest.raises(InputError, match=r"claims\.parquet' cannot be read as Parquet"):
            read(path)

    refuse()  # imports do not count
    assert peak_growth(refuse) < 16 << 20  # a list of this many columns takes 192 MB


@pytest.mark.skipif(not os.access("/proc/self/clear_refs", os.W_OK), reason="only Linux tells")
def test_a_false_page_size_takes_no_memory(tmp_path, read):
    data = parquet_file(pa.table({"a": pa.array([7, 8, 9])}), write_statistics=False, compression="gzip")
    start = data.index(b"\x15\x00")  # a data page
    header = data[start:].split(b"\x2c", maxsplit=1)[0]  # type, size and compressed size
    claims = b"\x15\x00" + header[2:4] + b"\x15" + varint(2 * (2**31 - 64))
    footer_bytes = struct.unpack("<I", data[-8:-4])[0]
    body = data[4 : len(data) - 8 - footer_bytes].replace(header, claims, 1)
    path = tmp_path / "claims.parquet"
    # The footer has only the offset of the page; its end follows from the size in the page header
    path.write_bytes(b"PAR1" + body + data[len(data) - 8 - footer_bytes :])

    def refuse():
        with pytest.raises(InputError, match=r"claims\.parquet' cannot be read as Parquet: row group 0, column 'a'"):
            read(path)

    refuse()
    assert peak_growth(refuse) < 16 << 20  # the page claims 2 GB


@pytest.mark.parametrize("n_claimed", [2, 4, -3], ids=["fewer", "more", "negative"])
def test_a_false_number_of_parquet_rows_is_refused(tmp_path, read, n_claimed):
    data = parquet_file(pa.table({"a": pa.array([7, 8, 9])}), write_statistics=False)
    encoded = bytes([2 * n_claimed if n_claimed >= 0 else -2 * n_claimed - 1])  # zigzag encoding of thrift
    path = tmp_path / "rows.parquet"
    path.write_bytes(changed(data, b"\x16\x06", b"\x16" + encoded))
    try:
        table = read(path)
    except InputError as error:
        assert "rows.parquet' cannot be read as Parquet" in str(error)  # noqa: PT017 - or it is read as it says
    else:
        assert table["a"].to_pylist() == [7, 8, 9][:n_claimed]


@pytest.mark.parametrize("packed", [False, True], ids=["plain", "packed"])
def test_a_ragged_row_that_is_not_utf_8_prints_nothing(tmp_path, read, packed, capfd):
    text = b"a,b\n" + b"1,2\n" * 20_000 + b"1,2,\xff\n" + b"1,2\n" * 10
    path = tmp_path / ("rows.csv.gz" if packed else "rows.csv")
    path.write_bytes(gzip.compress(text) if packed else text)
    with pytest.raises(InputError, match="line 20,002: Expected 2 columns, got 3"):
        read(path)
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize("n_cut", [0, 4, 9])
def test_a_damaged_ragged_gzip_file_is_refused(tmp_path, read, n_cut):
    packed = gzip.compress(b"a,b\n" + b"1,2\n" * 20_000 + b"1,2,3\n")
    path = tmp_path / "rows.csv.gz"
    path.write_bytes(packed[: len(packed) - n_cut] + b"no gzip any more")
    with pytest.raises(InputError, match="cannot be read as CSV: "):
        read(path)


# Paths, links and types named in a file


@pytest.fixture
def secret(tmp_path):
    """A file that another file refers to."""
    path = tmp_path / "elsewhere" / "secret.parquet"
    path.parent.mkdir()
    parquet.write_table(pa.table({"a": [666, 667, 668]}), path)
    return path


@pytest.mark.parametrize("kind", ["relative", "absolute", "address"])
def test_paths_in_parquet_metadata_are_not_followed(tmp_path, read, secret, kind):
    folder = tmp_path / "rows"
    folder.mkdir()
    parquet.write_table(pa.table({"a": [1, 2, 3]}), folder / "rows.parquet")
    metadata = parquet.read_metadata(secret)
    metadata.set_file_path(
        {"relative": "../elsewhere/secret.parquet", "absolute": str(secret)}.get(kind, secret.as_uri())
    )
    metadata.write_metadata_file(str(folder / "_metadata"))
    metadata.write_metadata_file(str(folder / "_common_metadata"))
    assert read(folder)["a"].to_pylist() == [1, 2, 3]
    (folder / "_metadata").rename(tmp_path / "named.parquet")
    with pytest.raises(InputError, match=r"named\.parquet' cannot be read as Parquet"):
        read(tmp_path / "named.parquet")


def test_partition_folder_names_are_values_not_paths(tmp_path, read, secret):
    folder = tmp_path / "rows" / "k=..%2F..%2Felsewhere%2Fsecret.parquet"
    folder.mkdir(parents=True)
    parquet.write_table(pa.table({"a": [1]}), folder / "rows.parquet")
    assert read(tmp_path / "rows").to_pylist() == [{"a": 1, "k": "../../elsewhere/secret.parquet"}]


def test_links_to_folders_are_not_followed(tmp_path, read, secret):
    folder = tmp_path / "rows"
    folder.mkdir()
    parquet.write_table(pa.table({"a": [1]}), folder / "rows.parquet")
    (folder / "circle").symlink_to(folder)
    (folder / "out").symlink_to(secret.parent)
    assert read(folder)["a"].to_pylist() == [1]


def test_a_pattern_reads_every_file_once_despite_a_cyclic_link(tmp_path, read):
    parquet.write_table(pa.table({"a": [1]}), tmp_path / "rows.parquet")
    (tmp_path / "circle").symlink_to(tmp_path)
    assert read(tmp_path / "**" / "*.parquet")["a"].to_pylist() == [1]


def test_a_folder_named_like_a_file_is_read_as_a_folder(tmp_path, read):
    inner = tmp_path / "rows" / "part.parquet"
    inner.mkdir(parents=True)
    parquet.write_table(pa.table({"a": [1]}), inner / "0.parquet")
    assert read(tmp_path / "rows")["a"].to_pylist() == [1]


@pytest.mark.parametrize("name", ["pipe.parquet", "pipe.csv"])
def test_a_pipe_is_refused_without_waiting(tmp_path, read, name):
    os.mkfifo(tmp_path / name)
    with pytest.raises(InputError, match="is empty"):
        read(tmp_path / name)


@pytest.mark.parametrize("name", [b"\xff.csv", b"\xff.parquet", b"k=\xff/rows.parquet"])
def test_file_names_that_are_not_utf_8_are_refused(tmp_path, read, name):
    path = Path(os.fsdecode(os.path.join(os.fsencode(tmp_path), b"rows", name)))  # noqa: PTH118 - of bytes
    path.parent.mkdir(parents=True)
    path.write_bytes(parquet_file(pa.table({"a": [1]})))
    with pytest.raises(InputError, match="not UTF-8"):
        read(path.parents[1] if b"/" in name else path)


@pytest.mark.filterwarnings("ignore:.*PyExtensionType")  # raised by Arrow before 21
def test_extension_types_named_in_a_file_are_not_imported(tmp_path, read):
    known = {
        b"ARROW:extension:name": b"arrow.py_extension_type",
        b"ARROW:extension:metadata": b"cos\nsystem\n(S'no'\ntR.",
    }
    schema = pa.schema([pa.field("a", pa.int64(), metadata=known)])
    path = tmp_path / "rows.arrow"
    path.write_bytes(arrow_file(pa.table({"a": [1, 2]}, schema=schema)))
    assert as_table(read(path)).columns[0].values.tolist() == [1.0, 2.0]


# Tables larger than memory


@pytest.fixture
def little_memory(monkeypatch):
    monkeypatch.setattr(loading, "available_memory", lambda: 100_000)


def test_claimed_rows_without_data_are_refused_before_they_take_memory(tmp_path):
    path = tmp_path / "nothing.arrow"
    nothing = pa.table({"a": pa.Array.from_buffers(pa.null(), 2**40, [None])})
    with pa.ipc.new_file(path, nothing.schema, options=pa.ipc.IpcWriteOptions(allow_64bit=True)) as writer:
        writer.write_table(nothing)
    with pytest.raises(InputError, match=r"at least 4\.4 TB"):
        read_table(path)


@pytest.mark.usefixtures("little_memory")
@pytest.mark.parametrize("name", ["rows.csv", "rows.csv.gz", "rows.parquet", "rows.arrow"])
def test_a_table_larger_than_memory_is_readable_only_in_blocks(tmp_path, name):
    table = pa.table({"a": pa.array([7] * 60_000)})
    text = b"a\n" + b"7\n" * 60_000  # 120,000 bytes of text, 240,000 as a column
    content = {
        "rows.csv": text,
        "rows.csv.gz": gzip.compress(text),
        "rows.parquet": parquet_file(table, use_dictionary=True),
        "rows.arrow": arrow_stream(table),
    }
    path = tmp_path / name
    path.write_bytes(content[name])
    with pytest.raises(InputError, match=rf"{name}' takes .* 100\.0 kB are free"):
        read_table(path)
    assert read_in_blocks(path).num_rows == 60_000


def test_a_stream_with_a_type_that_cannot_be_copied_names_the_column(tmp_path):
    path = tmp_path / "rows.arrow"
    odd = pa.RunEndEncodedArray.from_arrays(pa.array([3], pa.int32()), pa.array([1]))
    path.write_bytes(arrow_stream(pa.table({"plain": [1, 2, 3], "odd": odd})))
    assert as_table(read_table(path)).columns[1].values.tolist() == [1.0, 1.0, 1.0]
    with pytest.raises(InputError, match=r"'odd' of .*rows\.arrow has type run_end_encoded"):
        read_in_blocks(path)
