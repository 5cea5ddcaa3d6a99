"""Columns to numbers a network can read: ranks, codes and target atoms, fitted on training rows only."""

from minerva_select.preprocessing.categories import LevelEncoder
from minerva_select.preprocessing.column_types import find_kind, find_kinds, find_target_kind
from minerva_select.preprocessing.duplicates import copies, unusable
from minerva_select.preprocessing.identifiers import Identifier, identifiers
from minerva_select.preprocessing.quantiles import RankEncoder
from minerva_select.preprocessing.rescale import within_reach
from minerva_select.preprocessing.table_encoder import EncodedTable, TableEncoder
from minerva_select.preprocessing.target_bins import TargetAtoms, fit_atoms

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
