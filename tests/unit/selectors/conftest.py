"""Algorithm 1 in a few steps."""

from __future__ import annotations

import pytest

from minerva_select.config import PaperSettings


@pytest.fixture
def brief_paper(monkeypatch):
    """Make the paper's solver stop after a few steps: for claims that do not need an answer that is right."""
    monkeypatch.setattr(
        "minerva_select.selectors.paper.PaperSettings",
        lambda: PaperSettings(batch_size=100, max_steps_learn=25, max_steps_sparsify=50),
    )
