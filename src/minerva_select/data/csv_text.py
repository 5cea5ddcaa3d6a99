"""The text of a CSV file: what separates its fields, and where it is broken."""

from __future__ import annotations

import codecs
import contextlib
import csv
import gzip
import zlib
from typing import Any

from minerva_select.data.file_discovery import StoredFile
from minerva_select.errors import InputError

_SEPARATORS = ",;\t|"
_PIECE_BYTES = 1 << 16
_SNIFF_LINES = 20
_MAX_RATIO = 1032  # that gzip can pack by
_BROKEN = (OSError, EOFError, zlib.error)  # bytes that cannot be unpacked


def first_text(file: StoredFile) -> str:
    """First lines of a text file, or an error if it is none."""
    try:
        with _open_bytes(file) as stream:
            head = stream.read(_PIECE_BYTES)
        # Incremental, since the last character may be cut in two.
        text = codecs.getincrementaldecoder("utf-8-sig")().decode(head)
    except UnicodeDecodeError:
        text = "\0"
    except _BROKEN as error:
        raise file.unreadable("CSV", error) from None
    if "\0" in text:
        place = bad_byte(file)
        raise InputError(
            f"{file.name!r} is not a table: it holds binary data or is not UTF-8{place}; save it as UTF-8 text."
        )
    return text


def find_separator(text: str) -> str:
    """Separator that cuts the first lines into the most fields, as many as the header has; a comma if none does."""
    lines = text.splitlines(keepends=True)[:_SNIFF_LINES]
    best, most = ",", 1
    for separator in _SEPARATORS:
        widths = [len(row) for row in csv.reader(lines, delimiter=separator) if row]
        # Half of them, since the last line may be cut short, and a broken one is for the reader to report.
        if widths and widths[0] > most and 2 * widths.count(widths[0]) >= len(widths):
            best, most = separator, widths[0]
    return best


def _open_bytes(file: StoredFile) -> Any:
    """Open the unpacked bytes for Python's own readers."""
    raw = file.filesystem.open_input_stream(file.path, compression=None)
    return gzip.GzipFile(fileobj=raw) if file.is_packed else raw


def text_bytes(file: StoredFile, enough: int) -> int:
    """Bytes of the text once unpacked, which are counted only where there may be more than ``enough``."""
    if not file.is_packed or file.size * _MAX_RATIO <= enough:
        return file.size
    n_bytes = 0
    with contextlib.suppress(*_BROKEN), _open_bytes(file) as stream:  # what is broken is for the reader to report
        while n_bytes <= enough and (piece := stream.read(_PIECE_BYTES)):
            n_bytes += len(piece)
    return n_bytes


def bad_byte(file: StoredFile) -> str:
    """Place of the first byte that is no text, in words; empty if there is none."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    offset, line = 0, 1
    with contextlib.suppress(*_BROKEN), _open_bytes(file) as stream:
        while piece := stream.read(_PIECE_BYTES):
            held = len(decoder.getstate()[0])  # of a character that the last piece began
            bad = [] if (zero := piece.find(b"\0")) < 0 else [zero]
            try:
                decoder.decode(piece)
            except UnicodeDecodeError as error:
                bad.append(max(error.start - held, 0))
            if bad:
                line += piece.count(b"\n", 0, min(bad))
                return f" (byte {offset + min(bad):,}, line {line:,})"
            offset, line = offset + len(piece), line + piece.count(b"\n")
    return ""


def ragged_line(file: StoredFile, separator: str, expected: int) -> str:
    """Line on which the first row begins that has not as many fields as expected, in words."""
    # A field of more than 128 KB is an error too
    with contextlib.suppress(csv.Error, *_BROKEN), _open_bytes(file) as stream:
        rows = csv.reader(codecs.getreader("utf-8-sig")(stream, "replace"), delimiter=separator)
        line = 1
        for row in rows:
            if row and len(row) != expected:
                return f"line {line:,}: "
            line = rows.line_num + 1
    return ""
