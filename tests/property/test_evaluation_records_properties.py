"""Properties of a record file that was cut at any byte."""

from __future__ import annotations

import tempfile
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from minerva_select.evaluation.records import Records

values = st.one_of(
    st.none(), st.booleans(), st.integers(), st.text(max_size=5), st.lists(st.text(max_size=3), max_size=2)
)
record_lists = st.lists(st.dictionaries(st.text(max_size=4), values, min_size=1, max_size=3), min_size=1, max_size=4)


@given(records=record_lists, data=st.data())
def test_a_file_cut_anywhere_keeps_complete_records_and_accepts_new_ones(records, data):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "records.jsonl"
        store = Records(path)
        ends = []
        for record in records:
            store.append(record)
            ends.append(path.stat().st_size - 1)  # a record is complete without its newline
        cut = data.draw(st.integers(0, path.stat().st_size))
        path.write_bytes(path.read_bytes()[:cut])
        whole = [record for record, end in zip(records, ends, strict=True) if end <= cut]
        reopened = Records(path)
        assert list(reopened) == whole
        reopened.append({"last": True})
        assert list(Records(path)) == [*whole, {"last": True}]
