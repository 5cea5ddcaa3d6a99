"""Synthetic tables with known answers: which columns are relevant, and how much information they carry.

Every function takes ``n_samples`` and ``random_state`` and returns a :class:`Problem`; the same seed gives the same
rows. ``PROBLEMS`` lists all of them by name.

Examples
--------
>>> for name, draw in PROBLEMS.items():
...     problem = draw(n_samples=100, random_state=0)
...     print(name, problem.X.shape[1], len(problem.relevant))
equality 30 2
switching 40 10
gaussian 1 1
parity 20 3
additive 10 5
redundant 20 4
bayesian_network 19 ...
independent 20 0
card_fraud 214 9
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from minerva_select.problems._additive import additive
from minerva_select.problems._bayesian_network import bayesian_network
from minerva_select.problems._card_fraud import card_fraud
from minerva_select.problems._equality import equality
from minerva_select.problems._gaussian import gaussian
from minerva_select.problems._independent import independent
from minerva_select.problems._parity import parity
from minerva_select.problems._problem import Problem
from minerva_select.problems._redundant import redundant
from minerva_select.problems._switching import switching

PROBLEMS: Mapping[str, Callable[..., Problem]] = MappingProxyType(
    {
        "equality": equality,
        "switching": switching,
        "gaussian": gaussian,
        "parity": parity,
        "additive": additive,
        "redundant": redundant,
        "bayesian_network": bayesian_network,
        "independent": independent,
        "card_fraud": card_fraud,
    }
)

__all__ = [
    "PROBLEMS",
    "Problem",
    "additive",
    "bayesian_network",
    "card_fraud",
    "equality",
    "gaussian",
    "independent",
    "parity",
    "redundant",
    "switching",
]
