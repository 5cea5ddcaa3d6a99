"""Columns that depend on one another, of which only a few are needed."""

from __future__ import annotations

import numpy as np
import pandas as pd

from minerva_select.errors import InputError
from minerva_select.problems._network import LARGEST_TABLE, conditional_information, draw_network, markov_blanket
from minerva_select.problems._parameters import RandomState, column_names, generator, whole_number
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
    """Draw rows of a random discrete Bayesian network, one node of which is the target.

    Many columns depend on the target; ``relevant`` is the smallest set that makes all others irrelevant, its Markov
    blanket: parents, children, and the children's other parents. The same seed gives the same network and the same rows
    whatever the target, and the same network whatever ``n_samples``.

    A node has at most ``max_parents`` parents and as many children. Tables are drawn again until every edge and every
    pair of co-parents carries a fair amount of information, so that no member of a blanket is invisible: see
    ``minerva_select.problems._network.draw_network``.

    Parameters
    ----------
    n_samples : int
        Number of rows.
    n_nodes : int
        Number of nodes, 2 or more; X has one column fewer.
    max_parents : int
        Most parents, and most children, of a node.
    n_levels : int
        Levels of every node: values 0, ..., ``n_levels - 1``.
    target : int, optional
        Node that is the target; when not given, drawn among those with a blanket (a small network may have no edge at
        all, and nothing relevant).
    random_state : int, numpy.random.Generator or None
        Seed or generator of the draw.

    Returns
    -------
    Problem
        Columns keep their node's number: with node 2 as the target they are f0, f1, f3, f4, ... The mutual information
        is exact for networks of up to about a million combinations of levels, and None for larger ones.

    Examples
    --------
    >>> problem = bayesian_network(n_samples=1000, n_nodes=6, target=2)
    >>> list(problem.X.columns)
    ['f0', 'f1', 'f3', 'f4', 'f5']
    >>> set(problem.relevant) <= set(problem.X.columns)
    True
    """
    n_samples = whole_number("n_samples", n_samples, at_least=1)
    n_nodes = whole_number("n_nodes", n_nodes, at_least=2)
    max_parents = whole_number("max_parents", max_parents, at_least=1)
    n_levels = whole_number("n_levels", n_levels, at_least=2, at_most=np.iinfo(np.int8).max)
    if n_levels ** (max_parents + 1) > LARGEST_TABLE:
        raise InputError(
            f"{max_parents} parents of {n_levels} levels make a table of {n_levels ** (max_parents + 1)} entries, more "
            f"than {LARGEST_TABLE}; lower max_parents or n_levels."
        )
    if target is not None:
        target = whole_number("target", target, at_least=0, at_most=n_nodes - 1)
    rng = generator(random_state)
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
        mutual_information=None if joint is None else conditional_information(joint, [node], blankets[node]),
    )
