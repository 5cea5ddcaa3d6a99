"""Look at the text of a CSV file: detect the separator, and find the line of an error."""

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
_MAX_GZIP_RATIO = 1032
_DECOMPRESS_ERRORS = (OSError, EOFError, zlib.error)


def first_lines(file: StoredFile) -> str:
    """Return the first lines of a text file; raise if it is not text."""
    try:
        with _open_bytes(file) as stream:
            head = stream.read(_PIECE_BYTES)
        text = codecs.getincrementaldecoder("utf-8-sig")().decode(head)  # incremental: the last character may be cut
    except UnicodeDecodeError:
        text = "\0"
    except _DECOMPRESS_ERRORS as error:
        raise file.unreadable("CSV", error) from None
    if "\0" in text:
        raise InputError(
            f"{file.name!r} is not a table: it is binary or not UTF-8{locate_bad_byte(file)}; save it as UTF-8 text."
        )
    return text


def detect_separator(text: str) -> str:
    """Return the separator that splits the header, and most of the first lines, into the most fields."""
    lines = text.splitlines(keepends=True)[:_SNIFF_LINES]
    best, most = ",", 1
    for separator in _SEPARATORS:
        widths = [len(row) for row in csv.reader(lines, delimiter=separator) if row]
        # Half of the lines are enough: the last one may be cut, and the reader reports rows of another length
        if widths and widths[0] > most and 2 * widths.count(widths[0]) >= len(widths):
            best, most = separator, widths[0]
    return best


def decompressed_size(file: StoredFile, limit: int) -> int:
    """Return the bytes of the decompressed text; counting stops at ``limit``."""
    if not file.is_gzipped or file.size * _MAX_GZIP_RATIO <= limit:
        return file.size
    n_bytes = 0
    with contextlib.suppress(*_DECOMPRESS_ERRORS), _open_bytes(file) as stream:  # the reader reports what is broken
        while n_bytes <= limit and (piece := stream.read(_PIECE_BYTES)):
            n_bytes += len(piece)
    return n_bytes


def locate_bad_byte(file: StoredFile) -> str:
    """Return the position of the first byte that is not text, such as `` (byte 12, line 2)``, or an empty string."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    offset, line = 0, 1
    with contextlib.suppress(*_DECOMPRESS_ERRORS), _open_bytes(file) as stream:
        while piece := stream.read(_PIECE_BYTES):
            held = len(decoder.getstate()[0])  # bytes of a character that the previous piece began
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


def locate_ragged_row(file: StoredFile, separator: str, n_fields: int) -> str:
    """Return the line of the first row with another number of fields, such as ``line 7:``, or an empty string."""
    # csv.Error: a field of more than 128 KB
    with contextlib.suppress(csv.Error, *_DECOMPRESS_ERRORS), _open_bytes(file) as stream:
        rows = csv.reader(codecs.getreader("utf-8-sig")(stream, "replace"), delimiter=separator)
        line = 1
        for row in rows:
            if row and len(row) != n_fields:
                return f"line {line:,}: "
            line = rows.line_num + 1
    return ""


def _open_bytes(file: StoredFile) -> Any:
    """Open the decompressed bytes for readers of the standard library."""
    raw = file.filesystem.open_input_stream(file.path, compression=None)
    return gzip.GzipFile(fileobj=raw) if file.is_gzipped else raw
