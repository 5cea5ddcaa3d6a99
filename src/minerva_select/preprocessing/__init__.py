"""Columns to numbers a network can read: ranks, codes and target atoms, fitted on training rows only."""

from minerva_select.preprocessing.categories import LevelEncoder
from minerva_select.preprocessing.identifiers import Identifier, identifiers
from minerva_select.preprocessing.kinds import find_kind, find_kinds, find_target_kind
from minerva_select.preprocessing.ranks import RankEncoder
from minerva_select.preprocessing.redundancy import copies, unusable
from minerva_select.preprocessing.tables import EncodedTable, TableEncoder
from minerva_select.preprocessing.targets import TargetAtoms, fit_atoms
from minerva_select.preprocessing.units import within_reach

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
