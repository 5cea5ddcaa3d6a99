"""The result of a fit."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from minerva_select import text
from minerva_select.checks import as_path
from minerva_select.codes import ReasonCode
from minerva_select.errors import InputError, InputTypeError, brief
from minerva_select.io.atomic import atomic_write, read_text
from minerva_select.results.cost import ModelCost, check_cost
from minerva_select.results.effects import Effects, check_effects
from minerva_select.results.equivalents import find_equivalents
from minerva_select.results.estimate import Estimate, PathPoint, Repeats
from minerva_select.results.export import to_csv, to_sql
from minerva_select.results.feature import FeatureResult, PairResult, Suspect
from minerva_select.results.json_format import dump_json, load_json
from minerva_select.results.parsing import ParseError, parse_as
from minerva_select.results.progress import TrainingRecord, WeightRecord
from minerva_select.results.provenance import Provenance
from minerva_select.results.ranking import FeatureRanking, check_ranking
from minerva_select.results.resize import resize
from minerva_select.results.warning import SelectionWarning

if TYPE_CHECKING:
    import pandas as pd
    from plotly.graph_objects import Figure


@dataclass(frozen=True)
class Selection:
    """Which features were kept, which were dropped, why, and how certain that is.

    ``mutual_information`` is the information of the kept features, ``total_information`` that of all columns, and
    ``left_behind`` what the dropped columns together add to the kept ones. Each is None if the method does not
    measure it. ``effects`` says how the target goes with each kept feature, and ``cost`` what a model loses without the
    dropped columns, as AUC, PR-AUC or R2.

    Attributes
    ----------
    target : str
        Name of the target.
    features : tuple of FeatureResult
        One per column, in column order.
    mutual_information : Estimate, optional
        Information of the kept features about the target; None if the method does not measure it.
    total_information : Estimate, optional
        Information of all columns.
    n_rows : int
        Number of rows.
    target_entropy : float, optional
        Entropy of the target in nats.
    path : tuple of PathPoint
        Best sets of every size that was measured.
    history : tuple of TrainingRecord
        Bounds during training.
    converged : bool
        Whether the fit ended by itself.
    warnings : tuple of SelectionWarning
        What to check before the selection is trusted.
    seconds : float
        Time of the fit.
    settings, versions : mapping
        Parameters of the fit; versions of the packages.
    pairs : tuple of PairResult
        Interactions of selected features, largest absolute value first.
    suspects : tuple of Suspect
        Columns to check.
    weight_history : tuple of WeightRecord
        Importance or weight of the features during the fit.
    repeats : Repeats, optional
        Agreement of repeated fits.
    provenance : Provenance, optional
        Where the selection comes from.
    left_behind : Estimate, optional
        What the dropped columns together add to the kept ones.
    effects : Effects, optional
        How the target goes with the kept features.
    cost : ModelCost, optional
        Scores of a model with all columns and with the kept ones.
    ranking : FeatureRanking, optional
        The best set of every size.

    Examples
    --------
    >>> from minerva_select.codes import ReasonCode
    >>> from minerva_select.results import Reason
    >>> selection = Selection(
    ...     target="y",
    ...     features=(
    ...         FeatureResult("a", True, Reason(ReasonCode.CONTRIBUTES, values={"nats": 0.5}), weight=1.0),
    ...         FeatureResult("b", False, Reason(ReasonCode.ZERO_WEIGHT)),
    ...     ),
    ...     mutual_information=Estimate(0.5, 0.48, 0.52, n_rows=1000),
    ...     total_information=Estimate(0.5, 0.48, 0.52, n_rows=1000),
    ...     n_rows=1000,
    ... )
    >>> selection.selected
    ('a',)
    >>> Selection.from_json(selection.to_json()) == selection
    True
    """

    target: str
    features: tuple[FeatureResult, ...]
    mutual_information: Estimate | None
    total_information: Estimate | None
    n_rows: int
    target_entropy: float | None = None
    path: tuple[PathPoint, ...] = ()
    history: tuple[TrainingRecord, ...] = ()
    converged: bool = True
    warnings: tuple[SelectionWarning, ...] = ()
    seconds: float = 0.0
    settings: Mapping[str, Any] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=dict)
    pairs: tuple[PairResult, ...] = ()  # of selected features, largest absolute value first
    suspects: tuple[Suspect, ...] = ()
    weight_history: tuple[WeightRecord, ...] = ()
    repeats: Repeats | None = None
    provenance: Provenance | None = field(default=None, compare=False)
    left_behind: Estimate | None = None
    effects: Effects | None = None  # how the target goes with the kept features
    ranking: FeatureRanking | None = None  # the best features of every number
    cost: ModelCost | None = None  # scores of a model with all columns and with the kept ones

    @property
    def selected(self) -> tuple[str, ...]:
        """Names of the kept features, in column order."""
        return tuple(result.feature for result in self.features if result.selected)

    @property
    def proven(self) -> tuple[str, ...]:
        """Names of the kept features whose own contribution is proven on held-out rows, in column order.

        Examples
        --------
        >>> from minerva_select.results import Reason
        >>> features = (
        ...     FeatureResult("minutes", True, Reason(ReasonCode.CONTRIBUTES)),
        ...     FeatureResult("age", True, Reason(ReasonCode.SUPPORTING)),
        ... )
        >>> selection = Selection("y", features, None, None, n_rows=1000)
        >>> selection.proven, selection.supporting
        (('minutes',), ('age',))
        """
        return self._kept_as(ReasonCode.CONTRIBUTES)

    @property
    def supporting(self) -> tuple[str, ...]:
        """Names of the kept features that add information together without a proof of their own, in column order."""
        return self._kept_as(ReasonCode.SUPPORTING)

    @property
    def equivalents(self) -> dict[str, tuple[str, ...]]:
        """Dropped features that carry the same information as one kept feature, by the name of the kept one.

        Kept features without equivalents, and dropped ones that only several kept features determine, are not listed.

        Examples
        --------
        >>> from minerva_select.results import Reason
        >>> features = (
        ...     FeatureResult("minutes", True, Reason(ReasonCode.CONTRIBUTES)),
        ...     FeatureResult("charge", False, Reason(ReasonCode.EQUIVALENT, ("minutes",))),
        ... )
        >>> Selection("y", features, None, None, n_rows=1000).equivalents
        {'minutes': ('charge',)}
        """
        return find_equivalents(self.features)

    @property
    def information_kept(self) -> float | None:
        """Share of the total information that the kept features carry, between 0 and 1; None if not measured."""
        if self.mutual_information is None or self.total_information is None:
            return None
        total = max(self.total_information.nats, self.mutual_information.nats)
        return min(1.0, max(0.0, self.mutual_information.nats / total)) if total > 0 else 1.0

    @property
    def headline(self) -> str:
        """The result in one sentence."""
        return text.headline(self)

    def _kept_as(self, code: ReasonCode) -> tuple[str, ...]:
        return tuple(result.feature for result in self.features if result.selected and result.reason.code is code)

    def with_n_features(self, n_features: int) -> Selection:
        """Return the selection of the best ``n_features`` features, without another fit.

        A fit with ``n_features_to_select=n_features`` selects the same features.

        Parameters
        ----------
        n_features : int
            Number of features to keep (a group counts as one), at least as many as are kept on request.

        Returns
        -------
        Selection
            If the features differ from those of the fit, contributions, interactions, adjusted effects, ``left_behind``
            and ``cost`` are left out, since they depend on the other kept features. ``mutual_information`` is then the
            most that the fit measured in features of this set, which is a lower bound; None if it measured none.

        Examples
        --------
        >>> from minerva_select.results import FeatureRanking, Reason
        >>> features = tuple(FeatureResult(name, name == "a", Reason(ReasonCode.NOISE)) for name in "abc")
        >>> ranking = FeatureRanking((("a",), ("c",), ("b",)))
        >>> selection = Selection("y", features, None, None, n_rows=1000, ranking=ranking)
        >>> selection.with_n_features(2).selected
        ('a', 'c')
        """
        return resize(self, n_features)

    def to_frame(self) -> pd.DataFrame:
        """Return one row per feature, in column order.

        Returns
        -------
        DataFrame
            The fields of :class:`FeatureResult`, with ``reason`` as text and ``reason_code`` and ``reason_columns`` to
            filter by.

        Examples
        --------
        >>> from minerva_select import problems, selectors
        >>> problem = problems.redundant(n_samples=200, random_state=0)
        >>> selection = selectors.KSGSelector(n_features_to_select=1).fit(problem.X, problem.y).selection_
        >>> frame = selection.to_frame()
        >>> len(frame.query("selected and reason_code == 'score'"))
        1
        """
        import pandas as pd  # noqa: PLC0415 - takes 0.3 s, and a saved selection can be read without it

        names = [column.name for column in dataclasses.fields(FeatureResult)]
        rows = [
            {name: getattr(result, name) for name in names}
            | {
                "reason": str(result.reason),
                "reason_code": str(result.reason.code),
                "reason_columns": result.reason.columns,
                "role": None if result.role is None else str(result.role),
                "conversion": None if result.conversion is None else str(result.conversion),
            }
            for result in self.features
        ]
        order = [*names[:3], "reason_code", "reason_columns", *names[3:]]
        return pd.DataFrame(rows, columns=order)

    def to_json(self) -> str:
        """Return the selection as JSON, with its schema version; :func:`.results.json_schema` describes it."""
        return dump_json(self)

    def to_csv(self) -> str:
        """Return one line of CSV per feature, in column order, as :meth:`to_frame`; lists are joined by semicolons."""
        return to_csv(self)  # not atomic: makes text, not a file

    def to_sql(self, table: str | Sequence[str] | None = None, *, dialect: str = "standard") -> str:
        """Return SQL that selects the kept features.

        Parameters
        ----------
        table : str or list of str, optional
            Name of the table; points separate schema and table, as do the items of a list. Without it, only the list
            of columns is returned.
        dialect : {"standard", "mysql", "sqlserver"}
            How names are quoted: ``"a"``, or ```a```, or ``[a]``.

        Examples
        --------
        >>> from minerva_select.results import Reason
        >>> features = (
        ...     FeatureResult("minutes", True, Reason(ReasonCode.CONTRIBUTES)),
        ...     FeatureResult('12" discs', True, Reason(ReasonCode.CONTRIBUTES)),
        ...     FeatureResult("state", False, Reason(ReasonCode.NOISE)),
        ... )
        >>> print(Selection("y", features, None, None, n_rows=1000).to_sql("shop.calls"))
        SELECT "minutes", "12"" discs" FROM "shop"."calls"
        """
        return to_sql(self, table, dialect)

    @classmethod
    def from_json(cls, document: str, source: str = "the text") -> Selection:
        """Read the JSON of :meth:`to_json`; ``source`` names it in errors.

        Every value is checked; :class:`~minerva_select.errors.InputError` says which one is invalid and why.
        """
        if not isinstance(document, str | bytes):
            raise InputTypeError(f"A saved selection must be text, got {brief(document)}; Selection.load reads a file.")
        try:
            selection = parse_as(cls, load_json(document, source))
            _check_names(selection)
            _check_frequencies(selection)
            check_effects(selection.effects)
            check_ranking(selection.ranking)
            check_cost(selection.cost)
        except ParseError as error:
            raise InputError(f"{source} is not a saved selection: {error}.") from None
        return selection

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the selection as JSON, atomically."""
        _write(path, self.to_json())

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Selection:
        """Read a saved selection; see :meth:`from_json`."""
        return cls.from_json(read_text(as_path("path", path), "a saved selection"), source=repr(str(path)))

    # The report package is a layer above this one, so these methods import it when called; see pyproject.toml.

    def plot(self, kind: str = "contributions", *, dark: bool = False) -> Figure:
        """Draw the selection.

        Parameters
        ----------
        kind : {"contributions", "effects", "pair_map", "path", "pairs", "training", "stability"}
            Contributions of the selected features; how the target goes with each of them; a map of the target by the
            pair with the strongest interaction; information against the number of features; interactions of pairs;
            training curves; selection frequencies of repeated fits.
        dark : bool
            Whether to use dark colors.

        Returns
        -------
        plotly.graph_objects.Figure
            Notebooks display it; ``show()`` opens it in a browser. Where a saved notebook is exported without plotly,
            its place has a table of the values.
        """
        from minerva_select.report.notebook import displayed_figure  # noqa: PLC0415

        return displayed_figure(self, kind, dark=dark)

    def report(self, path: str | os.PathLike[str]) -> None:
        """Write the report as one self-contained HTML file."""
        from minerva_select.report import render  # noqa: PLC0415

        _write(path, render(self))

    def __str__(self) -> str:
        """Describe everything that was found, in sentences."""
        first, *rest = (part.text for part in text.explain(self))
        cost = () if self.cost is None else (f"{self.cost}.",)
        return "\n".join([first, *cost, *rest, *text.describe_warnings(self)])

    def _repr_html_(self) -> str:
        from minerva_select.report.notebook import render_fragment  # noqa: PLC0415

        return render_fragment(self)


def _write(path: str | os.PathLike[str], content: str) -> None:
    path = as_path("path", path)
    try:
        atomic_write(path, content)
    except FileNotFoundError:
        raise InputError(
            f"There is no folder {str(path.parent)!r} to write {path.name!r} to; create it first."
        ) from None
    except OSError as error:
        raise InputError(f"{str(path)!r} cannot be written: {error.strerror or error}.") from error


def _check_names(selection: Selection) -> None:
    """Raise if a feature occurs twice, or if a name is not one of the features."""
    known: set[str] = set()
    for k, result in enumerate(selection.features):
        if result.feature in known:
            raise ParseError(f"features[{k}] repeats {brief(result.feature)}")
        known.add(result.feature)
    for path, names in _mentioned_names(selection):
        for name in names:
            if name not in known:
                raise ParseError(f"{path} names {brief(name)}, which is not one of its features")


def _check_frequencies(selection: Selection) -> None:
    for k, result in enumerate(selection.features):
        if result.frequency is not None and not 0 <= result.frequency <= 1:
            raise ParseError(f"features[{k}].frequency must be between 0 and 1, got {brief(result.frequency)}")


def _mentioned_names(selection: Selection) -> Iterator[tuple[str, Iterable[str]]]:
    for k, result in enumerate(selection.features):
        yield f"features[{k}].partners", result.partners
        yield f"features[{k}].substitutes", result.substitutes
        yield f"features[{k}].replaced_by", result.replaced_by
    for k, point in enumerate(selection.path):
        yield f"path[{k}].features", point.features
    for k, pair in enumerate(selection.pairs):
        yield f"pairs[{k}]", (pair.first, pair.second)
    for k, suspect in enumerate(selection.suspects):
        yield f"suspects[{k}].feature", (suspect.feature,)
    effects = selection.effects
    for k, effect in enumerate(() if effects is None else effects.features):
        yield f"effects.features[{k}].feature", (effect.feature,)
    if effects is not None and effects.pair is not None:
        yield "effects.pair", (effects.pair.first, effects.pair.second)
    if selection.ranking is not None:
        yield "ranking", selection.ranking.names()
    for k, record in enumerate(selection.weight_history):
        yield f"weight_history[{k}].weights", record.weights
