"""Card payments, a few of them fraud: a table as a bank has it, of any size, whose answer is known."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache, partial

import numpy as np
import pandas as pd

from minerva_select.problems._card_fraud_columns import Layout, draw_layout
from minerva_select.problems._card_fraud_patterns import SIGNS, draw_signs
from minerva_select.problems._parameters import RandomState, generator, number_above, whole_number
from minerva_select.problems._problem import Problem
from minerva_select.schema import Array

CARD_FRAUD_MECHANISMS: Mapping[str, tuple[str, ...]] = SIGNS
"""The columns that matter in :func:`card_fraud`, by the sign of fraud that they make up together."""

BLOCK_ROWS = 10_000
"""Rows that share a generator, so that neither the size of the table nor that of a chunk changes a row."""


def card_fraud(
    n_samples: int = 100_000,
    n_features: int = 214,
    *,
    rate: float = 0.001,
    random_state: RandomState = 0,
) -> Problem:
    """Draw card payments of all kinds of columns, a few of them fraud.

    Fraud shows in five signs, each made of the columns that ``CARD_FRAUD_MECHANISMS`` lists:

    - ``foreign_device``: the device was last used by another user than the card's;
    - ``foreign_address``: the Internet address is of another country than the bill's;
    - ``large_at_night``: the amount is above 120, between midnight and six o'clock;
    - ``sudden_spending``: today's spending is above 9.95 times the usual;
    - ``risk_score``: the issuer's score, from 0 to 999, is high (and missing in 5% of the rows).

    A fraud has each of the first four with probability 0.6, independently, and any other payment with probability 0.01;
    the score has density 5 u**4 instead of 1, at u = score / 1000. But 7% of the frauds look like any other payment.
    The users, the countries and the usual spending say nothing alone. All other columns are independent of y given
    those: copies, noisy copies and coarse ones (``stand_ins``), and columns that have to do with each other at most.

    Parameters
    ----------
    n_samples : int
        Number of rows; the first rows of a larger table are those of a smaller one.
    n_features : int
        Number of columns, 9 or more. Up to half of what is left beside the relevant ones are stand-ins.
    rate : float
        Expected share of frauds, between 0 and 1.
    random_state : int, numpy.random.Generator or None
        Seed or generator of the draw; the columns and their order come before the rows.

    Returns
    -------
    Problem
        Columns are float32, int8, int16, bool or categories of text; the mutual information is None.

    See Also
    --------
    card_fraud_chunks : The same rows, a chunk at a time.

    Examples
    --------
    >>> problem = card_fraud(n_samples=20_000, n_features=40, rate=0.01)
    >>> sorted(problem.relevant)
    ['amount', 'billing_country', 'card_user', 'device_user', 'hour', 'ip_country', 'issuer_score', 'spend_today',
     'spend_usual']
    >>> problem.stand_ins["hour"]
    ('hour_utc', 'daypart')
    >>> foreign_device = problem.X["card_user"] != problem.X["device_user"]
    >>> foreign_device.groupby(problem.y).mean().round(2).tolist()
    [0.01, 0.6]
    """
    n_samples = whole_number("n_samples", n_samples, at_least=1)
    return next(
        card_fraud_chunks(n_samples, n_features, rate=rate, chunk_size=n_samples, random_state=random_state),
    )


def card_fraud_chunks(
    n_samples: int = 3_000_000,
    n_features: int = 214,
    *,
    rate: float = 0.001,
    chunk_size: int = 100_000,
    random_state: RandomState = 0,
) -> Iterator[Problem]:
    """Draw the rows of :func:`card_fraud` a chunk at a time, for tables that need not fit in memory.

    Parameters
    ----------
    n_samples, n_features, rate, random_state
        As in :func:`card_fraud`.
    chunk_size : int
        Rows of a chunk, the last one aside; any size gives the same rows. Multiples of 10,000 are fastest.

    Returns
    -------
    iterator of Problem
        Chunks with the same columns, the same truth, and an index that counts on from one to the next.

    Examples
    --------
    >>> for chunk in card_fraud_chunks(25_000, chunk_size=10_000):
    ...     print(chunk.X.shape, chunk.X.index)
    (10000, 214) RangeIndex(start=0, stop=10000, step=1)
    (10000, 214) RangeIndex(start=10000, stop=20000, step=1)
    (5000, 214) RangeIndex(start=20000, stop=25000, step=1)
    """
    n_samples = whole_number("n_samples", n_samples, at_least=1)
    n_features = whole_number("n_features", n_features, at_least=sum(map(len, SIGNS.values())))
    rate = number_above("rate", rate, 0.0, below=1.0)
    chunk_size = whole_number("chunk_size", chunk_size, at_least=1)
    seed = int(generator(random_state).integers(2**63))
    layout = draw_layout(n_features, np.random.default_rng([seed, 0]))
    draw_block = lru_cache(maxsize=1)(partial(_draw_block, layout, rate, seed))  # the last one may go on in a new chunk
    bounds = ((start, min(start + chunk_size, n_samples)) for start in range(0, n_samples, chunk_size))
    return (_problem(layout, range(start, stop), draw_block) for start, stop in bounds)


def _draw_block(layout: Layout, rate: float, seed: int, block: int) -> dict[str, Array]:
    """Draw y and the columns of one block of rows; always the whole block, so that its first rows stay the same."""
    rng = np.random.default_rng([seed, 1, block])
    fraud = rng.random(BLOCK_ROWS) < rate
    return {"y": fraud.astype(np.int64), **layout.draw(draw_signs(fraud, rng), rng)}


def _problem(layout: Layout, rows: range, draw_block: Callable[[int], Mapping[str, Array]]) -> Problem:
    """Join the blocks that hold these rows, and cut off what they hold of others."""
    pieces = []
    for block in range(rows.start // BLOCK_ROWS, (rows.stop - 1) // BLOCK_ROWS + 1):
        first = block * BLOCK_ROWS
        here = slice(max(rows.start - first, 0), rows.stop - first)
        pieces.append({name: values[here] for name, values in draw_block(block).items()})
    columns = {name: np.concatenate([piece[name] for piece in pieces]) for name in ("y", *layout.names)}
    index = pd.RangeIndex(rows.start, rows.stop)
    return Problem(
        name="card_fraud",
        y=pd.Series(columns.pop("y"), index=index, name="y"),
        X=pd.DataFrame(layout.spell(columns), index=index, copy=False),
        relevant=layout.relevant,
        stand_ins=layout.stand_ins,
    )
