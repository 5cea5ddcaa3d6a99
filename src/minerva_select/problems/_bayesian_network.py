"""Columns of a random Bayesian network, of which only the Markov blanket of the target is needed."""

from __future__ import annotations

import numpy as np
import pandas as pd

from minerva_select.checks import check_integer
from minerva_select.errors import InputError
from minerva_select.problems._network import (
    MAX_TABLE_ENTRIES,
    conditional_mutual_information,
    draw_network,
    markov_blanket,
)
from minerva_select.problems._parameters import RandomState, column_names, make_generator
from minerva_select.problems._problem import Problem


def bayesian_network(
    n_samples: int = 20_000,
    n_nodes: int = 20,
    *,
    max_parents: int = 3,
    n_levels: int = 3,
    target: int | None = None,
    random_state: RandomState = 0,
) -> Problem:
    """Draw rows of a random discrete Bayesian network with one node as the target.

    Many columns depend on the target. ``relevant`` is the Markov blanket of the target, the smallest set of columns
    that makes all others irrelevant: its parents, its children, and the other parents of its children. The same seed
    gives the same network and rows for every target, and the same network for every ``n_samples``.

    A node has at most ``max_parents`` parents and at most as many children. Probability tables are redrawn until every
    edge and every pair of co-parents carries enough information for each member of a blanket to be detectable; see
    ``minerva_select.problems._network.draw_network``.

    Parameters
    ----------
    n_samples : int
        Number of rows.
    n_nodes : int
        Number of nodes, 2 or more; X has one column fewer.
    max_parents : int
        Maximum number of parents, and of children, of a node.
    n_levels : int
        Number of levels of every node: values 0, ..., ``n_levels - 1``.
    target : int, optional
        Node to use as the target. By default it is drawn from the nodes that have a blanket; in a small network that
        may be no node, and then nothing is relevant.
    random_state : int, numpy.random.Generator or None
        Seed or generator.

    Returns
    -------
    Problem
        Columns are named after their node: with node 2 as the target they are f0, f1, f3, f4, ... The mutual
        information is exact for networks with up to 2**20 combinations of levels, and None for larger ones.

    Examples
    --------
    >>> problem = bayesian_network(n_samples=1000, n_nodes=6, target=2)
    >>> list(problem.X.columns)
    ['f0', 'f1', 'f3', 'f4', 'f5']
    >>> set(problem.relevant) <= set(problem.X.columns)
    True
    """
    n_samples = check_integer("n_samples", n_samples, minimum=1)
    n_nodes = check_integer("n_nodes", n_nodes, minimum=2)
    max_parents = check_integer("max_parents", max_parents, minimum=1)
    n_levels = check_integer("n_levels", n_levels, minimum=2, maximum=np.iinfo(np.int8).max)
    n_entries = n_levels ** (max_parents + 1)
    if n_entries > MAX_TABLE_ENTRIES:
        raise InputError(
            f"A probability table may have at most {MAX_TABLE_ENTRIES:,} entries, but {max_parents} parents with "
            f"{n_levels} levels need {n_entries:,}; lower max_parents or n_levels."
        )
    if target is not None:
        target = check_integer("target", target, minimum=0, maximum=n_nodes - 1)
    rng = make_generator(random_state)
    network = draw_network(n_nodes, max_parents, n_levels, rng)
    blankets = [markov_blanket(network.parents, node) for node in range(n_nodes)]
    drawn = int(rng.choice([node for node in range(n_nodes) if blankets[node]] or range(n_nodes)))
    node = drawn if target is None else target
    rows, joint, names = network.sample(n_samples, rng), network.joint(), column_names(n_nodes)
    return Problem(
        name="bayesian_network",
        X=pd.DataFrame(rows, columns=names).drop(columns=names[node]),
        y=pd.Series(rows[:, node], name="y", dtype=np.int64),
        relevant=tuple(names[member] for member in blankets[node]),
        mutual_information=None if joint is None else conditional_mutual_information(joint, [node], blankets[node]),
    )
