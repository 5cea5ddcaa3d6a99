import torch

from minerva_select.config import DISCRETIZATION
from minerva_select.data.encoded_rows import ColumnLayout, Rows
from minerva_select.mi.discretization import coarsen_target, discretize_columns


def test_numeric_columns_are_binned_rare_levels_merged_and_missing_values_separate():
    # Feature 0 is categorical, feature 1 continuous
    quantiles = torch.tensor([[torch.nan], [0.001], [0.5], [0.999]])
    codes = torch.tensor([[0], [3], [DISCRETIZATION.max_levels], [DISCRETIZATION.max_levels + 40]])
    found = discretize_columns(Rows(quantiles, codes, ColumnLayout(1, (DISCRETIZATION.max_levels + 50,), (1, 0))))
    assert found[:, 0].tolist() == [0, 3, DISCRETIZATION.max_levels - 1, DISCRETIZATION.max_levels - 1]
    assert found[:, 1].tolist() == [0, 1, 1 + DISCRETIZATION.n_bins // 2, DISCRETIZATION.n_bins]


def test_few_target_bins_stay_classes():
    bins = torch.tensor([2, 0, 1, 1])
    assert torch.equal(coarsen_target(bins, torch.tensor([0.9, 0.1, 0.5])), bins)


def test_many_target_bins_become_classes_of_neighbors_of_similar_size():
    generator = torch.Generator().manual_seed(0)
    bin_order = torch.rand(40, generator=generator)
    bins = torch.arange(40).repeat(25)
    classes = coarsen_target(bins, bin_order)
    place = bin_order[bins]
    by_place = classes[place.argsort(stable=True)]
    assert (by_place.diff() >= 0).all()
    # 40 bins in 8 classes: five each
    assert torch.bincount(classes).tolist() == [5 * 25] * DISCRETIZATION.n_classes
