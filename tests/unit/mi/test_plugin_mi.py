"""Claims about plug-in estimates of information on rows that were not counted."""

from __future__ import annotations

import math

import pytest
import torch

from minerva_select.data.encoded_rows import ColumnLayout, Rows
from minerva_select.mi.discretization import discretize_columns
from minerva_select.mi.families import ArrayCritics
from minerva_select.mi.fold import Fold, Target
from minerva_select.mi.pairwise_mi import count_information
from minerva_select.mi.plugin_mi import PluginEstimator
from minerva_select.solvers.attribution import attribute_columns

N_ROWS = 8000


def draw(seed):
    return torch.Generator().manual_seed(seed)


def as_fold(quantiles, codes, y, is_discrete=True, bin_quantiles=None, row_weights=None):
    """Half training rows, a quarter tuning rows, a quarter held-out rows."""
    n_rows = len(y)
    prior = torch.bincount(y).float() / n_rows
    n_levels = tuple(int(column.max()) + 1 for column in codes.T)
    layout = ColumnLayout(quantiles.shape[1], n_levels, tuple(range(quantiles.shape[1] + codes.shape[1])))
    if bin_quantiles is None:
        bins = Rows(torch.empty(len(prior), 0), torch.arange(len(prior))[:, None], ColumnLayout(0, (len(prior),), (0,)))
    else:
        bins = Rows(bin_quantiles[:, None], torch.empty(len(prior), 0), ColumnLayout(1, (), (0,)))
    train, tune, held_out = torch.arange(n_rows).tensor_split([n_rows // 2, 3 * n_rows // 4])
    weights = torch.ones(n_rows) if row_weights is None else row_weights
    return Fold(
        Rows(quantiles, codes, layout), Target(y, bins, prior.log(), is_discrete), weights, (train,), (tune,), held_out
    )


@pytest.fixture
def bits():
    """A fair bit y and three columns: y with 10% errors, noise, and the first column with 10% further errors."""
    generator = draw(0)
    y = torch.randint(2, (N_ROWS,), generator=generator)

    def flipped(bit):
        return bit ^ (torch.rand(N_ROWS, generator=generator) < 0.1).long()

    first = flipped(y)
    return torch.stack([first, torch.randint(4, (N_ROWS,), generator=generator), flipped(first)], dim=1), y


def test_the_marginal_information_has_its_closed_form_value(bits):
    codes, y = bits
    counts = PluginEstimator([as_fold(torch.empty(N_ROWS, 0), codes, y)], [0, 1, 2])
    entropy = -(0.1 * math.log(0.1) + 0.9 * math.log(0.9))
    # 2,000 held-out rows estimate it to 0.015
    assert counts.mean(counts.information(0)).mean == pytest.approx(math.log(2) - entropy, abs=0.045)
    assert counts.mean(counts.information(0)).standard_error == pytest.approx(0.015, abs=0.005)
    assert abs(counts.mean(counts.information(1)).mean) < 0.005
    assert counts.target_entropy == pytest.approx(math.log(2), abs=1e-3)


def test_counted_rows_are_not_evaluated():
    # Every level occurs about twice: it seems to determine y on the counted rows, and is uninformative on others
    generator = draw(1)
    codes = torch.randint(120, (240, 1), generator=generator)
    y = torch.randint(2, (240,), generator=generator)
    counts = PluginEstimator([as_fold(torch.empty(240, 0), codes, y)], [0])
    (found,) = counts.information(0)
    assert counts.mean([found]).mean < 0.05
    assert found.tuning.mean() < 0.05  # tuning rows are counted, but left out of their own counts


def test_a_column_has_no_information_given_the_one_it_was_made_from(bits):
    codes, y = bits
    counts = PluginEstimator([as_fold(torch.empty(N_ROWS, 0), codes, y)], [0, 1, 2])
    alone, beyond = counts.conditional(2, 0)
    assert alone.mean > 0.15  # y with 18% errors: 0.22 nats
    assert abs(beyond.mean) < 0.005
    alone, beyond = counts.conditional(2, 1)
    assert beyond.mean == pytest.approx(alone.mean, abs=0.01)  # noise carries none of it


def test_a_continuous_column_and_target_are_binned():
    # y is x in 64 bins, so the information is the entropy of 32 classes
    x = torch.rand(N_ROWS, 1, generator=draw(2))
    y = (x[:, 0] * 64).long()
    fold = as_fold(
        x, torch.empty(N_ROWS, 0, dtype=torch.int64), y, is_discrete=False, bin_quantiles=torch.arange(64) / 64
    )
    counts = PluginEstimator([fold], [0])
    assert counts.target_entropy == pytest.approx(math.log(32), abs=0.01)
    assert counts.mean(counts.information(0)).mean > 0.95 * math.log(32)


def test_missing_values_have_their_own_bin():
    # The value is noise; whether it is missing is y
    x = torch.rand(N_ROWS, 1, generator=draw(3))
    y = torch.randint(2, (N_ROWS,), generator=draw(4))
    x[y == 1] = torch.nan
    counts = PluginEstimator([as_fold(x, torch.empty(N_ROWS, 0, dtype=torch.int64), y)], [0])
    assert counts.mean(counts.information(0)).mean == pytest.approx(math.log(2), abs=0.01)


def test_a_monotone_copy_is_similar_to_its_original_and_noise_is_not():
    x = torch.rand(N_ROWS, 1, generator=draw(5))
    columns = torch.cat([x, x, torch.rand(N_ROWS, 1, generator=draw(6))], dim=1)
    y = torch.randint(2, (N_ROWS,), generator=draw(7))
    counts = PluginEstimator([as_fold(columns, torch.empty(N_ROWS, 0, dtype=torch.int64), y)], [0, 1, 2])
    assert counts.similarity(0, 1) == pytest.approx(1.0)
    assert counts.similarity(0, 2) < 0.05


def test_a_dropped_column_is_replaced_by_the_selected_one_it_was_made_from(bits):
    codes, y = bits
    fold = as_fold(torch.empty(N_ROWS, 0), codes, y)
    found = count_information(discretize_columns(fold.x), y, n_pairs=1)
    columns = attribute_columns([fold], found, [0], ArrayCritics([fold], draw(9)))
    assert columns.replaced_by == {2: [0]}
    assert columns.near_copies == {}
    assert columns.marginal.keys() == {0, 1, 2}


def test_a_dropped_column_without_a_single_replacement_is_replaced_by_all():
    # y has four classes, both of its bits are selected, and the dropped column is y with 10% errors
    generator = draw(8)
    codes = torch.randint(2, (N_ROWS, 2), generator=generator)
    y = 2 * codes[:, 0] + codes[:, 1]
    wrong = torch.rand(N_ROWS, generator=generator) < 0.1
    blurred = torch.where(wrong, torch.randint(4, (N_ROWS,), generator=generator), y)
    fold = as_fold(torch.empty(N_ROWS, 0), torch.cat([codes, blurred[:, None]], dim=1), y)
    found = count_information(discretize_columns(fold.x), y, n_pairs=1)
    columns = attribute_columns([fold], found, [0, 1], ArrayCritics([fold], draw(9)))
    assert sorted(columns.replaced_by[2]) == [0, 1]


def test_a_curve_finds_more_of_a_continuous_target_than_counts_of_few_rows():
    # Normal columns with correlation 0.6 share 0.223 nats
    n_rows = 800
    x = torch.randn(n_rows, generator=draw(10))
    y = 0.6 * x + 0.8 * torch.randn(n_rows, generator=draw(11))
    bins = y.argsort().argsort() // (n_rows // 100)
    quantiles = ((x.argsort().argsort() + 0.5) / n_rows)[:, None]
    fold = as_fold(
        quantiles,
        torch.empty(n_rows, 0, dtype=torch.int64),
        bins,
        is_discrete=False,
        bin_quantiles=(torch.arange(100) + 0.5) / 100,
    )
    found = count_information(discretize_columns(fold.x), bins // 10, n_pairs=1)
    alone = attribute_columns([fold], found, [0], ArrayCritics([fold], draw(12))).marginal[0]
    counts = PluginEstimator([fold], [0])
    assert alone.interval[0] < 0.223 < alone.interval[1]
    assert alone.mean > counts.mean(counts.information(0)).mean + 0.03


def test_row_weights_are_used(bits):
    codes, y = bits
    # Only rows with a correct first column have weight, so it determines y
    weights = (codes[:, 0] == y).float()
    fold = as_fold(torch.empty(N_ROWS, 0), codes, y, row_weights=weights / weights.mean())
    counts = PluginEstimator([fold], [0])
    assert counts.mean(counts.information(0)).mean == pytest.approx(math.log(2), abs=0.01)
