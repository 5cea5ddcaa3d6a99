"""Random Bayesian networks: Markov blankets, probability tables and rows."""

from __future__ import annotations

import math

import numpy as np
import pytest

from minerva_select.errors import InputError
from minerva_select.problems import bayesian_network
from minerva_select.problems._network import Network, conditional_mutual_information, draw_network, markov_blanket

# 0 -> 2 <- 1, 2 -> 3, 2 -> 5 <- 4; 6 has no edges
PARENTS = [(), (), (0, 1), (2,), (), (2, 4), ()]


@pytest.mark.parametrize(
    ("node", "blanket"),
    [
        (0, (1, 2)),  # its child, and that child's other parent
        (2, (0, 1, 3, 4, 5)),  # parents, children, and the other parent of 5
        (3, (2,)),
        (4, (2, 5)),
        (5, (2, 4)),
        (6, ()),
    ],
)
def test_blanket_is_parents_children_and_their_other_parents(node, blanket):
    assert markov_blanket(PARENTS, node) == blanket


@pytest.fixture(scope="module")
def small_network():
    """Two switches (nodes 2 and 0) and a lamp (node 1) whose table has its axes in the order of its parents, (2, 0)."""
    lamp = np.array([[[0.9, 0.1], [0.6, 0.4]], [[0.3, 0.7], [0.2, 0.8]]])
    return Network((2, 0, 1), ((), (2, 0), ()), (np.array([0.75, 0.25]), lamp, np.array([0.5, 0.5])))


def test_joint_is_the_product_of_the_tables(small_network):
    joint = small_network.joint()
    assert joint.shape == (2, 2, 2)
    assert joint.sum() == pytest.approx(1)
    # Axes are nodes 0, 1, 2: P(switch 0 = 1) P(switch 2 = 0) P(lamp = 0 | switch 2 = 0, switch 0 = 1).
    assert joint[1, 0, 0] == pytest.approx(0.25 * 0.5 * 0.6)
    assert joint[0, 1, 1] == pytest.approx(0.75 * 0.5 * 0.7)


def test_rows_follow_the_joint(small_network):
    rows = small_network.sample(40_000, np.random.default_rng(0))
    shares = np.zeros((2, 2, 2))
    np.add.at(shares, tuple(rows.T), 1 / len(rows))
    # Shares have a standard deviation of at most 0.0025; the tolerance is four of them.
    np.testing.assert_allclose(shares, small_network.joint(), atol=0.01)


def test_a_joint_that_is_too_large_is_not_computed():
    assert draw_network(21, 2, 2, np.random.default_rng(0)).joint() is None
    assert bayesian_network(n_samples=10, n_nodes=21, n_levels=2).mutual_information is None


def test_the_ends_of_a_chain_are_independent_given_its_middle():
    # X -> Y -> Z, each a copy of the previous one flipped with probability 0.1: I(X; Y) = log 2 - H(0.1), and
    # I(X; Z | Y) = 0.
    flip = np.array([[0.9, 0.1], [0.1, 0.9]])
    joint = 0.5 * flip[:, :, None] * flip[None, :, :]
    assert conditional_mutual_information(joint, [0], [1]) == pytest.approx(
        math.log(2) + 0.9 * math.log(0.9) + 0.1 * math.log(0.1)
    )
    assert conditional_mutual_information(joint, [0], [2], [1]) == pytest.approx(0, abs=1e-12)
    assert conditional_mutual_information(joint, [0], [2]) > 0.1


@pytest.mark.parametrize(("n_nodes", "n_levels"), [(12, 2), (9, 3)])
@pytest.mark.parametrize("seed", range(4))
def test_the_blanket_carries_all_information_and_every_member_is_needed(n_nodes, n_levels, seed):
    network = draw_network(n_nodes, 3, n_levels, np.random.default_rng(seed))
    joint = network.joint()
    for node in range(n_nodes):
        blanket = markov_blanket(network.parents, node)
        others = [other for other in range(n_nodes) if other != node and other not in blanket]
        assert conditional_mutual_information(joint, [node], others, blanket) == pytest.approx(0, abs=1e-12)
        for member in blanket:
            rest = [other for other in blanket if other != member]
            # 0.005 nats in 20,000 rows: 2 n I = 200; without dependence it is below 30.
            assert conditional_mutual_information(joint, [node], [member], rest) > 0.005


@pytest.mark.parametrize("max_parents", [1, 3])
def test_networks_have_no_cycles_and_few_parents_and_children(max_parents):
    network = draw_network(30, max_parents, 3, np.random.default_rng(1))
    assert sorted(network.order) == list(range(30))
    place = {node: position for position, node in enumerate(network.order)}
    children = [parent for parents in network.parents for parent in parents]
    assert max(len(parents) for parents in network.parents) == max_parents
    assert max(children.count(node) for node in range(30)) <= max_parents
    assert all(place[parent] < place[node] for node, parents in enumerate(network.parents) for parent in parents)


def test_every_level_of_every_node_occurs():
    problem = bayesian_network(n_samples=5_000, n_nodes=30, n_levels=4)
    assert all(set(problem.X[name]) == {0, 1, 2, 3} for name in problem.X)
    assert set(problem.y) == {0, 1, 2, 3}


def test_same_seed_gives_the_same_rows_whatever_the_target():
    two, five = (bayesian_network(n_samples=200, n_nodes=8, target=target, random_state=4) for target in (2, 5))
    assert two.X["f5"].astype(np.int64).tolist() == five.y.tolist()
    assert five.X["f2"].astype(np.int64).tolist() == two.y.tolist()
    shared = ["f0", "f1", "f3", "f4", "f6", "f7"]
    assert two.X[shared].equals(five.X[shared])
    assert "f2" not in two.X
    # Membership of Markov blankets is symmetric.
    assert ("f5" in two.relevant) == ("f2" in five.relevant)


def test_drawn_target_has_a_blanket():
    # Isolated nodes are common in networks this sparse, so a target drawn from all nodes would sometimes be one.
    drawn = [bayesian_network(n_samples=1, n_nodes=12, max_parents=1, random_state=seed) for seed in range(30)]
    assert all(problem.relevant for problem in drawn)


def test_mutual_information_agrees_with_the_plug_in_estimate_on_rows():
    problem = bayesian_network(n_samples=50_000, n_nodes=8, n_levels=2, random_state=3)
    table = np.zeros((2,) * (len(problem.relevant) + 1))
    np.add.at(table, (*problem.X[list(problem.relevant)].to_numpy().T, problem.y), 1 / 50_000)
    estimate = conditional_mutual_information(table, [table.ndim - 1], range(table.ndim - 1))
    # Standard error of the mean of log ratios of order 1 over 50,000 rows: 0.005; bias of 128 cells: 128 / 100,000.
    assert estimate == pytest.approx(problem.mutual_information, abs=0.015)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"n_nodes": 1}, r"^n_nodes .*\b2\b"),
        ({"target": 20}, "^target .* from 0 to 19"),
        ({"n_levels": 1}, "^n_levels "),
        ({"max_parents": 0}, "^max_parents "),
        ({"max_parents": 4, "n_levels": 10}, "100,000; lower max_parents or n_levels"),
    ],
)
def test_invalid_parameters_are_rejected(arguments, message):
    with pytest.raises(InputError, match=message):
        bayesian_network(n_samples=10, **arguments)
