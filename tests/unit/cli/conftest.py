"""Command line, a small table, and a selector that returns at once."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

from minerva_select.cli import app
from minerva_select.results import Estimate, FeatureResult, Progress, Reason, ReasonCode, Selection

HALF = Estimate(0.5, 0.48, 0.52, n_rows=20)


class StandIn:
    """A selector that records its arguments and returns at once."""

    answer: Selection
    seen: dict[str, object]
    fitted: list[tuple[list[str], list[str]]]
    rows: dict[str, object]
    shapes: list[tuple[int, int]]

    def __init__(self, **parameters):
        type(self).seen = parameters

    def fit(self, X, y, **rows):
        type(self).rows = rows
        for callback in self.seen["callbacks"]:
            callback(Progress("learn", 0.5, bound=0.1, n_features=2))
        names = [y.name] if hasattr(y, "name") else list(y.column_names)
        type(self).fitted.append((list(getattr(X, "names", X)), names))
        type(self).shapes.append((len(y), len(type(self).fitted[-1][0])))
        self.selection_ = self.answer
        return self


@pytest.fixture
def answer():
    """A selection with a line break in a name."""
    features = (
        FeatureResult("a", True, Reason(ReasonCode.CONTRIBUTES, values={"nats": 0.5}), 1.0, 0.0, 0.5, 0.48, 0.52),
        FeatureResult("b\nc", True, Reason(ReasonCode.CONTRIBUTES)),
    )
    return Selection("y", features, HALF, HALF, n_rows=20)


@pytest.fixture
def selector(monkeypatch, answer):
    StandIn.fitted, StandIn.shapes, StandIn.answer = [], [], answer
    monkeypatch.setattr("minerva_select.selectors.MinervaSelector", StandIn)
    return StandIn


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Working folder with one small table."""
    rows = "\n".join(f"{i},{i * 1.5},{'US' if i % 3 else 'DE'},{i % 2},{i % 4}" for i in range(20))
    (tmp_path / "data.csv").write_text(f"id,amount,country,is_fraud,late\n{rows}\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def run():
    """Run the command line in this process."""
    return lambda *arguments: CliRunner().invoke(app, [str(argument) for argument in arguments])


@pytest.fixture
def assert_refused():
    """Check that a run exited with code 2 and one sentence."""

    def check(result, message):
        assert result.exit_code == 2
        assert result.stdout == ""
        assert result.stderr.startswith("minerva: ")
        assert len(result.stderr.splitlines()) == 1
        assert message in result.stderr

    return check
