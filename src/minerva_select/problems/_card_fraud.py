"""Simulated card payments, a few of them fraudulent, with known relevant columns."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from minerva_select.checks import check_integer
from minerva_select.problems._card_fraud_columns import ColumnPlan, draw_column_plan
from minerva_select.problems._card_fraud_patterns import PATTERNS, draw_relevant_columns
from minerva_select.problems._parameters import RandomState, check_number, make_generator
from minerva_select.problems._problem import Problem
from minerva_select.schema import Array

BLOCK_ROWS = 10_000  # rows drawn with the same generator; changing it changes the rows


def card_fraud(
    n_samples: int = 100_000,
    n_features: int = 214,
    *,
    rate: float = 0.001,
    random_state: RandomState = 0,
) -> Problem:
    """Draw card payments with columns of many types; a small share of the payments is fraudulent.

    Five patterns indicate fraud:

    - foreign device: ``card_user`` and ``device_user`` differ;
    - foreign address: ``billing_country`` and ``ip_country`` differ;
    - large amount at night: ``amount`` is above 120 and ``hour`` below 6;
    - sudden spending: ``spend_today`` is above 9.95 times ``spend_usual``;
    - risk score: ``issuer_score``, from 0 to 999 and missing in 5% of the rows, is high.

    A fraud shows each of the first four patterns with probability 0.6, independently, any other payment with
    probability 0.01. The score u = score / 1000 of a fraud has density 5 u**4, that of any other payment density 1. 7%
    of the frauds look like any other payment. The user, country and usual-spending columns carry no information alone.
    Given the nine columns above, all other columns are independent of y: exact, noisy and coarse copies (``proxies``)
    and noise, some of it correlated with other noise.

    Parameters
    ----------
    n_samples : int
        Number of rows. A smaller table has the first rows of a larger one.
    n_features : int
        Number of columns, 9 or more. At most half of the irrelevant columns are proxies.
    rate : float
        Expected share of frauds, between 0 and 1.
    random_state : int, numpy.random.Generator or None
        Seed or generator. The columns and their order are drawn before the rows.

    Returns
    -------
    Problem
        Columns are float32, int8, int16, bool or categorical with string levels; the mutual information is None.

    Examples
    --------
    >>> problem = card_fraud(n_samples=20_000, n_features=40, rate=0.01)
    >>> sorted(problem.relevant)
    ['amount', 'billing_country', 'card_user', 'device_user', 'hour', 'ip_country', 'issuer_score', 'spend_today',
     'spend_usual']
    >>> problem.proxies["hour"]
    ('hour_utc', 'daypart')
    >>> foreign_device = problem.X["card_user"] != problem.X["device_user"]
    >>> foreign_device.groupby(problem.y).mean().round(2).tolist()
    [0.01, 0.6]
    """
    n_samples = check_integer("n_samples", n_samples, minimum=1)
    return PaymentGenerator.create(n_features, rate, random_state).draw(range(n_samples))


@dataclass(frozen=True)
class PaymentGenerator:
    """Draws any range of rows of one card-fraud table; the rows do not depend on how the table is split."""

    columns: ColumnPlan
    rate: float
    seed: int

    @classmethod
    def create(cls, n_features: int, rate: float, random_state: RandomState) -> PaymentGenerator:
        n_features = check_integer("n_features", n_features, minimum=sum(map(len, PATTERNS.values())))
        rate = check_number("rate", rate, 0.0, 1.0)
        seed = int(make_generator(random_state).integers(2**63))
        return cls(draw_column_plan(n_features, np.random.default_rng([seed, 0])), rate, seed)

    def draw(self, rows: range) -> Problem:
        """Draw these rows, with their positions in the table as the index."""
        blocks = range(rows.start // BLOCK_ROWS, (rows.stop - 1) // BLOCK_ROWS + 1)
        pieces = []
        for block in blocks:
            first = block * BLOCK_ROWS
            wanted = slice(max(rows.start - first, 0), rows.stop - first)
            pieces.append({name: values[wanted] for name, values in self._draw_block(block).items()})
        columns = {name: np.concatenate([piece[name] for piece in pieces]) for name in ("y", *self.columns.names)}
        index = pd.RangeIndex(rows.start, rows.stop)
        return Problem(
            name="card_fraud",
            y=pd.Series(columns.pop("y"), index=index, name="y"),
            X=pd.DataFrame(self.columns.decode(columns), index=index, copy=False),
            relevant=self.columns.relevant,
            proxies=self.columns.proxies,
        )

    def _draw_block(self, block: int) -> dict[str, Array]:
        """Draw a whole block, so that its first rows do not depend on how many are wanted."""
        rng = np.random.default_rng([self.seed, 1, block])
        is_fraud = rng.random(BLOCK_ROWS) < self.rate
        relevant = draw_relevant_columns(is_fraud, rng)
        return {"y": is_fraud.astype(np.int64), **self.columns.draw(relevant, rng)}
