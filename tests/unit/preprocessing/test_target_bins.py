import math
import pickle

import numpy as np
import pytest

from minerva_select.errors import InputError
from minerva_select.preprocessing import TableEncoder, find_target_kind, fit_atoms
from minerva_select.schema import Column, Table


def encode(*columns, target="auto"):
    table = Table(
        tuple(Column(f"y{i}", np.asarray(values, dtype=float)) for i, values in enumerate(columns)), len(columns[0])
    )
    encoder = TableEncoder(find_target_kind(table, target)).fit(table)
    return encoder, encoder.transform(table)


def encode_new(encoder, *columns):
    named = zip(encoder.names_, columns, strict=True)
    return encoder.transform(Table(tuple(Column(n, np.asarray(v, dtype=float)) for n, v in named), len(columns[0])))


def check_atoms(atoms, encoded):
    """What holds for every kind of target."""
    assigned = atoms.assign(encoded)
    np.testing.assert_array_equal(np.bincount(assigned, minlength=atoms.n_atoms) / encoded.n_rows, atoms.prior)
    assert (atoms.prior > 0).all()
    assert math.isclose(atoms.prior.sum(), 1.0)
    np.testing.assert_array_equal(atoms.assign(atoms.positions), np.arange(atoms.n_atoms))
    assert atoms.positions.n_levels == encoded.n_levels
    assert atoms.positions.continuous == encoded.continuous
    assert atoms.positions.n_columns == encoded.n_columns


def test_classes_are_the_atoms_of_a_discrete_target():
    _, encoded = encode(np.repeat([5.0, 8.0, 9.0], [50, 30, 20]))
    atoms = fit_atoms(encoded)
    check_atoms(atoms, encoded)
    assert atoms.is_discrete
    assert atoms.prior.tolist() == [0.5, 0.3, 0.2]
    assert atoms.positions.codes.ravel().tolist() == [2, 3, 4]
    expected = -(0.5 * math.log(0.5) + 0.3 * math.log(0.3) + 0.2 * math.log(0.2))
    assert math.isclose(atoms.entropy, expected)


def test_an_unseen_class_goes_to_the_most_frequent_atom():
    encoder, encoded = encode(np.repeat([5.0, 8.0, 9.0], [20, 50, 30]))
    atoms = fit_atoms(encoded)
    assert atoms.assign(encode_new(encoder, [7.0, 9.0, np.nan])).tolist() == [0, 1, 0]


def test_combinations_are_the_atoms_of_several_discrete_columns():
    a, b = np.repeat([0, 0, 1], 20), np.repeat([0, 1, 1], 20)
    encoder, encoded = encode(a, b)
    atoms = fit_atoms(encoded)
    check_atoms(atoms, encoded)
    assert atoms.is_discrete
    assert atoms.n_atoms == 3  # (1, 0) never occurs
    assert len({tuple(row) for row in atoms.positions.codes}) == 3
    # (1, 0) agrees in one column with (0, 0) and with (1, 1), equally frequent; (7, 1) with (0, 1) and (1, 1).
    nearest = atoms.assign(encode_new(encoder, [1, 7], [0, 1]))
    same = (atoms.positions.codes[nearest] == encode_new(encoder, [1, 7], [0, 1]).codes).sum(axis=1)
    assert same.tolist() == [1, 1]


def test_among_equally_near_combinations_the_most_frequent_wins():
    a, b = np.repeat([0, 1, 1], [20, 20, 60]), np.repeat([0, 1, 2], [20, 20, 60])
    encoder, encoded = encode(a, b)
    atoms = fit_atoms(encoded)
    new = atoms.assign(encode_new(encoder, [1, 0], [0, 1]))
    seen = atoms.assign(encode_new(encoder, [0, 1, 1], [0, 1, 2]))
    assert new[0] == seen[2]  # (1, 0): one column alike with all three; (1, 2) has 60 rows
    assert new[1] in (seen[0], seen[1])  # (0, 1) shares nothing with (1, 2)


def test_one_discrete_column_with_too_many_levels_folds_the_rarest():
    values = np.repeat(np.arange(6.0), [60, 50, 40, 30, 20, 10])
    encoder, encoded = encode(values)
    atoms = fit_atoms(encoded, max_atoms=4)
    assert not atoms.is_discrete
    check_atoms(atoms, encoded)
    assert atoms.n_atoms == 4
    own, other = atoms.assign(encode_new(encoder, [0, 1, 2])), atoms.assign(encode_new(encoder, [3, 4, 5, 77]))
    assert len(set(own)) == 3
    assert len(set(other)) == 1
    assert not set(own) & set(other)
    assert atoms.positions.codes[other[0], 0] == 1  # drawn as the code of the rare and unseen


@pytest.mark.parametrize("n_rows", [1000, 1024, 5003])
def test_a_continuous_target_is_cut_into_bins_of_equal_frequency(n_rows):
    values = np.random.default_rng(0).normal(size=n_rows)
    _, encoded = encode(values)
    atoms = fit_atoms(encoded, max_atoms=16)
    check_atoms(atoms, encoded)
    counts = np.bincount(atoms.assign(encoded))
    assert atoms.n_atoms == 16
    assert counts.max() - counts.min() <= 1
    assert not atoms.is_discrete
    # The mean rank of bin i of 16 is its middle, give or take one row.
    np.testing.assert_allclose(atoms.positions.ranks.ravel(), (np.arange(16) + 0.5) / 16, atol=1 / n_rows)
    order = np.argsort(values)
    assert (np.diff(atoms.assign(encoded)[order]) >= 0).all()


def test_a_value_with_the_weight_of_several_bins_has_one_to_itself():
    values = np.concatenate([np.zeros(500), np.random.default_rng(0).uniform(1, 2, size=500)])
    encoder, encoded = encode(values)
    atoms = fit_atoms(encoded, max_atoms=8)
    zero = atoms.assign(encode_new(encoder, [0.0]))[0]
    assert atoms.prior[zero] == 0.5
    assert atoms.n_atoms == 5


def test_few_distinct_amounts_are_atoms_themselves():
    values = np.repeat([0.5, 1.5, 2.5], [10, 20, 70])
    encoder, encoded = encode(values)
    atoms = fit_atoms(encoded)
    check_atoms(atoms, encoded)
    assert atoms.is_discrete
    assert atoms.prior.tolist() == [0.1, 0.2, 0.7]
    np.testing.assert_allclose(atoms.positions.ranks.ravel(), [0.05, 0.2, 0.65])
    assert atoms.assign(encode_new(encoder, [-9.0, 9.0])).tolist() == [0, 2]


def test_values_that_never_repeat_are_no_discrete_target():
    _, encoded = encode(np.random.default_rng(0).normal(size=100))
    assert not fit_atoms(encoded).is_discrete


def test_missing_amounts_are_an_atom_of_their_own():
    values = np.append(np.random.default_rng(0).normal(size=90), np.full(10, np.nan))
    _, encoded = encode(values)
    atoms = fit_atoms(encoded, max_atoms=10)
    check_atoms(atoms, encoded)
    assert atoms.n_atoms == 10
    assert atoms.prior[-1] == 0.1
    assert np.isnan(atoms.positions.ranks[-1, 0])


def test_missing_amounts_never_seen_go_to_the_largest_atom():
    encoder, encoded = encode(np.repeat([0.5, 1.5, 2.5], [10, 70, 20]))
    assert fit_atoms(encoded).assign(encode_new(encoder, [np.nan])).tolist() == [1]


def test_several_continuous_columns_are_clustered():
    rng = np.random.default_rng(0)
    _, encoded = encode(rng.normal(size=2000), rng.normal(size=2000))
    atoms = fit_atoms(encoded, max_atoms=64, random_state=0)
    check_atoms(atoms, encoded)
    assert not atoms.is_discrete
    assert 32 <= atoms.n_atoms <= 64
    # From the middle of a cell 1/8 wide, 64 of which fill the square of ranks, its rows are 0.05 away on average.
    away = encoded.ranks - atoms.positions.ranks[atoms.assign(encoded)]
    assert np.hypot(*away.T).mean() < 2 * 0.05


def test_mixed_columns_never_mix_two_classes_while_atoms_suffice():
    rng = np.random.default_rng(0)
    label = rng.integers(0, 3, size=1000)
    _, encoded = encode(label, rng.normal(size=1000))
    atoms = fit_atoms(encoded, max_atoms=32, random_state=0)
    check_atoms(atoms, encoded)
    np.testing.assert_array_equal(atoms.positions.codes[atoms.assign(encoded)], encoded.codes)


def test_clusters_keep_missing_values_apart():
    rng = np.random.default_rng(0)
    first = rng.normal(size=400)
    first[:100] = np.nan
    _, encoded = encode(first, rng.normal(size=400))
    atoms = fit_atoms(encoded, max_atoms=16, random_state=0)
    check_atoms(atoms, encoded)
    gone = np.isnan(encoded.ranks[:, 0])
    np.testing.assert_array_equal(np.isnan(atoms.positions.ranks[atoms.assign(encoded), 0]), gone)


def test_clusters_are_fitted_on_a_sample_and_assign_all_rows():
    rng = np.random.default_rng(0)
    _, encoded = encode(rng.normal(size=25_000), rng.normal(size=25_000))
    atoms = fit_atoms(encoded, max_atoms=4, random_state=0)
    check_atoms(atoms, encoded)


def test_too_many_combinations_are_clustered():
    rng = np.random.default_rng(0)
    _, encoded = encode(*rng.integers(0, 6, size=(4, 2000)))
    atoms = fit_atoms(encoded, max_atoms=64, random_state=0)
    check_atoms(atoms, encoded)
    assert not atoms.is_discrete
    assert atoms.n_atoms <= 64


def test_a_target_of_identical_rows_is_one_cluster():
    _, encoded = encode(np.full(40, 0.5), np.full(40, 1.5))
    atoms = fit_atoms(encoded, random_state=0)
    assert atoms.prior.tolist() == [1.0]
    assert atoms.entropy == 0.0


def test_the_same_seed_gives_the_same_clusters():
    rng = np.random.default_rng(0)
    _, encoded = encode(rng.normal(size=500), rng.normal(size=500))
    one, two = (fit_atoms(encoded, max_atoms=16, random_state=3).assign(encoded) for _ in range(2))
    np.testing.assert_array_equal(one, two)


def test_atoms_survive_pickling():
    _, encoded = encode(np.repeat([5.0, 8.0], 20))
    atoms = fit_atoms(encoded)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(atoms)).assign(encoded), atoms.assign(encoded))


def test_fewer_than_two_atoms_are_refused():
    _, encoded = encode(np.repeat([5.0, 8.0], 20))
    with pytest.raises(InputError, match="max_atoms must be at least 2, got 1"):
        fit_atoms(encoded, max_atoms=1)
