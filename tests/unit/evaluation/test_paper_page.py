"""docs/paper.md has the tables of the committed records."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from minerva_select.evaluation.paper import read_configuration, reproduce
from minerva_select.evaluation.records import Records

ROOT = Path(__file__).parents[3]
PAGE = ROOT / "docs" / "paper.md"
RESULTS = ROOT / "experiments" / "paper" / "results"
NAMED = re.findall(r"<!-- (\S+)\.md -->", PAGE.read_text(encoding="utf-8")) if PAGE.exists() else []

pytestmark = pytest.mark.skipif(not RESULTS.is_dir(), reason="the committed results are in a clone only")


def test_every_committed_result_is_on_the_page():
    assert sorted(NAMED) == sorted(path.stem for path in RESULTS.glob("*.jsonl"))


@pytest.mark.parametrize("name", NAMED)
def test_a_table_of_the_page_follows_from_the_committed_records(name, monkeypatch):
    def refuse(task, *_):
        raise AssertionError(f"{task.label} is not among the committed records")

    monkeypatch.setattr("minerva_select.evaluation.paper.tasks._compute", refuse)
    experiment, _, rest = name.partition("-")
    data = Path(rest) if experiment == "fraud" and rest else None
    records = Records(RESULTS / f"{name}.jsonl")
    if experiment == "a" and any(record["task"]["data"] != "generated" for record in records):
        data = Path("experiment_a.parquet")
    tables, _ = reproduce(read_configuration(experiment), records, data)
    markdown = "\n\n".join(table.to_markdown() for table in tables)
    assert f"<!-- {name}.md -->\n\n{markdown}\n\n<!-- end -->" in PAGE.read_text(encoding="utf-8")
