"""Claims about the normalization of density ratios over rows."""

import numpy as np
import pytest
import torch

from minerva_select.mi.density_ratio.coupling import couple, pointwise_information


def test_a_constant_ratio_holds_no_information():
    assert couple(torch.full((5, 5), 3.0)).tolist() == pytest.approx([0.0] * 5, abs=1e-5)


def test_the_information_of_two_classes_is_exact():
    # Rows of the same class have a ratio of 2, others of 0: log 2 each
    classes = torch.arange(10) % 2
    log_ratios = torch.where(classes[:, None] == classes[None], 0.0, -50.0)
    assert couple(log_ratios).tolist() == pytest.approx([np.log(2)] * 10, abs=1e-5)


def test_factors_of_one_side_alone_change_nothing():
    generator = torch.Generator().manual_seed(0)
    log_ratios = torch.randn(50, 50, generator=generator)
    x_factor, y_factor = torch.randn(50, generator=generator), torch.randn(50, generator=generator)
    changed = couple(log_ratios + x_factor[:, None] + y_factor[None])
    assert changed.numpy() == pytest.approx(couple(log_ratios).numpy(), abs=0.02)  # after four rounds


def test_a_ratio_that_picks_each_rows_own_pair_reaches_the_logarithm_of_the_number_of_rows():
    assert couple(100 * torch.eye(8)).tolist() == pytest.approx([np.log(8)] * 8, abs=1e-4)


def test_every_row_is_measured_once_and_in_order(monkeypatch):
    rows = torch.arange(7)

    def log_ratios(x_rows, y_rows):
        return torch.where(x_rows[:, None] % 3 == y_rows[None] % 3, 0.0, -50.0)

    whole = pointwise_information(log_ratios, rows)
    assert whole.tolist() == pytest.approx(np.log([7 / 3, 7 / 2, 7 / 2, 7 / 3, 7 / 2, 7 / 2, 7 / 3]), abs=1e-4)
