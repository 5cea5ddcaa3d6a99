import dataclasses
import statistics

import pytest
import torch

from minerva.core.evidence import weigh
from minerva.core.information import Critics
from minerva.core.inputs import Layout, Rows
from minerva.core.runtime import Deadline, seeded
from minerva.core.shuffling import falls_on_tune_rows, falls_on_vet_rows, shuffle_features

# Features 0 to 3 are: categorical, continuous, categorical, continuous
MIXED = Layout(2, (50, 50), (1, 3, 0, 2))


def numbered(n_rows):
    """Every cell says which row it came from."""
    number = torch.arange(n_rows)
    return Rows((number / 100.0).unsqueeze(1).repeat(1, 2), number.unsqueeze(1).repeat(1, 2), MIXED)


def source_rows(rows):
    """Row that each cell came from, columns in feature order."""
    cells = torch.cat([(rows.ranks * 100).round().long(), rows.codes], dim=-1)
    return cells[..., [MIXED.positions.index(feature) for feature in range(4)]]


@pytest.mark.parametrize("features", [[0], [1], [2, 3], [0, 1, 2, 3]])
def test_only_the_named_features_are_shuffled_and_all_alike(features):
    permutation = torch.randperm(20, generator=torch.Generator().manual_seed(0))
    found = source_rows(shuffle_features(numbered(20), features, permutation))
    for feature in range(4):
        expected = permutation if feature in features else torch.arange(20)
        assert torch.equal(found[:, feature], expected)


def test_blocks_of_rows_are_shuffled_within_each_member():
    permutation = torch.tensor([2, 0, 1])
    block = numbered(6).take(torch.tensor([[0, 1, 2], [3, 4, 5]]))
    found = source_rows(shuffle_features(block, [1, 2], permutation))
    assert found[..., 1].tolist() == found[..., 2].tolist() == [[2, 0, 1], [5, 3, 4]]
    assert found[..., 0].tolist() == found[..., 3].tolist() == [[0, 1, 2], [3, 4, 5]]


def test_the_rows_given_stay_as_they_are():
    rows = numbered(5)
    shuffle_features(rows, [0, 1], torch.tensor([4, 3, 2, 1, 0]))
    assert torch.equal(source_rows(rows), torch.arange(5).unsqueeze(1).expand(5, 4))


@pytest.fixture(scope="module")
def table():
    """The target is column 0; the two others are independent of everything."""
    codes = torch.randint(3, (1200, 3), generator=torch.Generator().manual_seed(5))
    return codes, (codes[:, 0] == 1).long()


@pytest.mark.parametrize("unit", [[1], [2], [1, 2]])
def test_an_independent_column_falls_by_nothing_whatever_the_critic(unit, make_fold, generator):
    n_tables, n_rows = 100, 60
    codes = torch.randint(3, (n_tables * n_rows, 3), generator=generator)
    fold = make_fold(codes, (codes[:, 0] == 1).long())
    critics = Critics(fold, width=16)  # as drawn: its scores depend on all columns
    z = []
    for vet in torch.arange(len(codes)).view(n_tables, n_rows):
        critics.fold = dataclasses.replace(fold, vet=vet)
        (fall,) = falls_on_vet_rows(critics, [unit], generator)
        assert fall.abs().max() > 1e-3
        z.append(weigh(fall, torch.ones(n_rows)).z)
    # Over 100 tables z is about standard normal: mean 0 with error 0.1, standard deviation 1 with error 0.07
    assert abs(statistics.fmean(z)) < 0.4
    assert statistics.stdev(z) < 1.25


def test_a_column_that_informs_falls_by_its_information(table, make_fold, quick, generator):
    fold = make_fold(*table, n_members=2)
    critics = Critics(fold, width=16)
    critics.fit(quick, generator, Deadline(None), stage="learn")
    information = weigh(critics.information(fold.vet), torch.ones(len(fold.vet)))
    informs, noise = (
        weigh(fall, torch.ones(len(fold.vet))) for fall in falls_on_vet_rows(critics, [[0], [1]], generator)
    )
    # A critic that is sure of itself and wrong loses more than it had
    assert informs.mean > information.mean > 0.9 * fold.target.entropy
    assert informs.z > 10
    assert abs(noise.mean) < 0.02
    tuned = falls_on_tune_rows(critics, [[0], [1], [0, 1]], generator, max_rows=200)
    assert tuned[0].z > 5
    assert tuned[2].z > 5
    assert abs(tuned[1].mean) < 0.02


def test_shuffles_come_from_the_generator(table, make_fold):
    fold = make_fold(*table)
    with seeded(0, torch.device("cpu")):
        critics = Critics(fold, width=16)
    first, second, other = (
        falls_on_vet_rows(critics, [[0]], torch.Generator().manual_seed(seed)) for seed in (1, 1, 2)
    )
    assert torch.equal(first, second)
    assert not torch.equal(first, other)
