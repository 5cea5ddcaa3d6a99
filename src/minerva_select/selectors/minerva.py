"""MINERVA as a scikit-learn selector."""

from __future__ import annotations

from minerva_select.results import Selection
from minerva_select.selectors.fit_context import FitContext
from minerva_select.selectors.solver_selector import SolverSelector
from minerva_select.selectors.minerva import select_by_vetting


class MinervaSelector(SolverSelector):
    """Select the features that carry information about a target, together.

    Finds features that matter alone and features that matter only jointly, drops redundant ones, and reports how much
    each kept feature contributes on held-out rows.

    Parameters
    ----------
    n_features_to_select : int or None
        Number of features to keep (a group counts as one); None lets the tests decide.
    categorical_features : "auto" or list of str
        Columns to read as categorical. "auto": text, booleans, categories, and integers with few distinct values.
    target_type : {"auto", "discrete", "continuous"}
        How to read the target.
    keep, drop : sequence of str
        Columns to keep or drop, whatever they carry.
    feature_groups : mapping of str to list of str, or list of lists, optional
        Columns that are selected or dropped together.
    redundant : {"drop", "keep"}
        Whether to drop features whose information others carry. Ignored if ``n_features_to_select`` is a number.
    device : str
        "auto", "cpu", "cuda", "mps", ...
    time_limit : float, optional
        Seconds after which the fit ends with the best selection so far. If the limit is too short to encode all rows,
        the fit uses a random sample with all rows of rare target values, and warns.
    max_memory : int or str, optional
        Memory that a fit may use, in bytes or such as ``"4GB"``; half of the free memory by default. Larger tables are
        encoded into files in blocks and read from there.
    cache_dir : path, optional
        Folder for encoded rows and checkpoints, so that a killed fit can be resumed. By default encoded rows go to a
        temporary folder and no checkpoints are written.
    resume : bool
        Continue the fit of the same data, parameters and seed whose checkpoints are in ``cache_dir``.
    random_state : int, RandomState or None
        The same seed gives the same result, bit for bit on the CPU, whatever the order of the columns.
    verbose : int
        Whether to log the progress.
    callbacks : sequence of callables
        Each is called with a :class:`minerva_select.results.Progress` during the fit; if one returns True, the fit ends
        soon with the best selection so far. :mod:`minerva_select.callbacks` has a few.

    Attributes
    ----------
    selection_ : Selection
        Kept and dropped features with reasons, contributions and intervals.
    support_ : ndarray of bool of shape (n_features,)
        Mask of the selected features.
    scores_ : ndarray of float of shape (n_features,)
        Contribution of each feature in nats, given the selected ones; NaN if it was not measured.
    weights_ : ndarray of float of shape (n_features,)
        Contribution of each selected feature relative to the largest one; 0 for dropped features.
    history_ : tuple of TrainingRecord
        Training loss and held-out bound of all stages.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Examples
    --------
    The target is whether two columns are equal: neither carries information alone.

    >>> from minerva_select import MinervaSelector
    >>> from minerva_select.problems import equality
    >>> problem = equality(n_samples=20_000, n_features=6, relevant=(1, 4), random_state=0)
    >>> selector = MinervaSelector(random_state=0).fit(problem.X, problem.y)
    >>> selector.get_feature_names_out().tolist()
    ['f1', 'f4']
    """

    def _solve(self, context: FitContext) -> Selection:
        return select_by_vetting(context)
