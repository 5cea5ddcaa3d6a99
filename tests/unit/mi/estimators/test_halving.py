"""Standard errors from random halves."""

from __future__ import annotations

import numpy as np
import pytest

from minerva_select.mi.estimators.halving import estimate_with_halves


def test_halves_give_the_standard_error_of_a_mean():
    rng = np.random.default_rng(0)
    values = rng.standard_normal(1000)
    halvings = [rng.permutation(1000) % 2 for _ in range(200)]
    found = estimate_with_halves(lambda rows: values[rows].mean(), 1000, halvings)
    assert found.mean == pytest.approx(values.mean())
    # 200 squared differences: known to 5%
    assert found.standard_error == pytest.approx(values.std() / np.sqrt(1000), rel=0.15)


def test_a_bias_that_both_halves_share_is_no_error():
    found = estimate_with_halves(lambda rows: 1.0 + 1.0 / len(rows), 10, [np.arange(10) % 2])
    assert (found.mean, found.standard_error) == (1.1, 0.0)
