"""Columns to numbers a network can read: ranks, codes and target atoms, fitted on training rows only."""

from minerva.preprocessing.categories import LevelEncoder
from minerva.preprocessing.identifiers import Identifier, identifiers
from minerva.preprocessing.kinds import find_kind, find_kinds, find_target_kind
from minerva.preprocessing.ranks import RankEncoder
from minerva.preprocessing.redundancy import copies, unusable
from minerva.preprocessing.tables import EncodedTable, TableEncoder
from minerva.preprocessing.targets import TargetAtoms, fit_atoms
from minerva.preprocessing.units import within_reach

__all__ = [
    "EncodedTable",
    "Identifier",
    "LevelEncoder",
    "RankEncoder",
    "TableEncoder",
    "TargetAtoms",
    "copies",
    "find_kind",
    "find_kinds",
    "find_target_kind",
    "fit_atoms",
    "identifiers",
    "unusable",
    "within_reach",
]
