"""Claims about selections that earlier versions saved: the files in this folder never change, and are read for ever."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from pathlib import Path

import pytest

from minerva_select.report import render
from minerva_select.results import Estimate, Provenance, Repeats, Role, Selection, Suspect, SuspectKind

FOLDER = Path(__file__).parent
ODD = 'größe "1"\n'
KEPT = {  # of every version, the digest of its file
    1: "2a248d47b876eed9cb5c961a86d085daa757b3f8147d97880693f9b98c5844fe",
    2: "624b47e4bdee27c8c2b70b6345429a53dfb526398e57fd4d3004b59ce392d84f",
}


def saved(version):
    return FOLDER / f"selection_v{version}.json"


@pytest.mark.parametrize("version", KEPT)
def test_the_file_is_the_one_that_was_saved_then(version):
    assert hashlib.sha256(saved(version).read_bytes()).hexdigest() == KEPT[version]
    assert json.loads(saved(version).read_text(encoding="utf-8"))["schema_version"] == version


@pytest.mark.parametrize("version", KEPT)
def test_it_is_read_and_drawn(version):
    selection = Selection.load(saved(version))
    page = render(selection)
    assert selection.target == "is_fraud"
    assert "gr&#246;&#223;e" in page or "größe" in page
    assert all(name in page for name in selection.selected if name != ODD)


def test_the_file_of_version_2_fills_every_field():
    """Else a reader that lost a field would not be noticed."""
    filled = {}

    def note(value):
        if dataclasses.is_dataclass(value):
            fields = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
            kept = {name for name, item in fields.items() if item not in (None, (), "", {})}
            filled.setdefault(type(value), set()).update(kept)
            for item in fields.values():
                note(item)
        elif isinstance(value, tuple):
            for item in value:
                note(item)

    note(Selection.load(saved(2)))
    assert len(filled) == 10
    for kind, names in filled.items():
        assert names == {field.name for field in dataclasses.fields(kind)}, kind


def test_the_file_of_version_2_is_read_with_what_was_saved():
    selection = Selection.load(saved(2))
    assert selection.selected == (ODD, "f1", "f2", "f3")
    assert selection.mutual_information == Estimate(0.6, 0.59, 0.61, n_rows=5000, note="lower bound")
    assert not selection.converged
    assert selection.settings["groups"] == {"both": ["f2", "f3"]}
    assert [one.role for one in selection.features[:5]] == [Role.TOGETHER] * 2 + [Role.ALONE] * 2 + [Role.SUBSTITUTE]
    assert selection.features[4].replaced_by == (ODD,)
    assert selection.features[6].note == "date read as seconds since 1970, UTC"
    assert selection.features[1].frequency == 0.9
    assert selection.suspects == (
        Suspect("f2", SuspectKind.LEAK, share=0.96),
        Suspect("f5", SuspectKind.NEAR_COPY, share=0.98, of=ODD),
    )
    assert (selection.pairs[0].first, selection.pairs[0].second, selection.pairs[0].nats) == (ODD, "f1", 0.5)
    assert selection.weight_history[1].weights["f3"] == pytest.approx(0.38)  # 0.5 - 4 * 0.01 * 3
    assert selection.repeats == Repeats(n_fits=10, subsample=0.8, agreement=0.9)
    assert selection.provenance == Provenance(
        created="2026-01-01T12:00:00+00:00",
        fingerprint="0f" * 16,
        n_columns=9,
        device="cpu",
        data="payments.parquet",
        command="minerva select payments.parquet --target is_fraud",
    )
