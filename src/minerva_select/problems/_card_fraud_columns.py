"""The columns of a card-fraud table that nobody needs: stand-ins for those that know, and filler."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
import pandas as pd

from minerva_select.problems._card_fraud_patterns import COUNTRIES, N_USERS, SIGNS
from minerva_select.schema import Array

STAND_INS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "card_user": ("account",),
        "device_user": ("wifi_user",),
        "billing_country": ("phone_prefix",),
        "ip_country": ("ip_region",),
        "amount": ("amount_eur", "amount_log", "fee"),
        "hour": ("hour_utc", "daypart"),
        "spend_today": ("spend_week",),
        "spend_usual": ("spend_usual_usd",),
        "issuer_score": ("scheme_score", "issuer_grade"),
    }
)

LEVELS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "card_user": tuple(f"u{code:02d}" for code in range(N_USERS)),
        "device_user": tuple(f"u{code:02d}" for code in range(N_USERS)),
        "wifi_user": tuple(f"u{code:02d}" for code in range(N_USERS)),
        "account": tuple(f"a{7 * code % N_USERS:02d}" for code in range(N_USERS)),
        "billing_country": COUNTRIES,
        "ip_country": COUNTRIES,
        "phone_prefix": (
            *("+43", "+32", "+41", "+49", "+45", "+34", "+358", "+33"),
            *("+44", "+353", "+39", "+352", "+31", "+47", "+351", "+46"),
        ),
        "ip_region": ("region 1", "region 2", "region 3", "region 4"),
        "daypart": ("early", "midday", "late"),
        "issuer_grade": ("A", "B", "C", "D", "E"),
    }
)

NAMED_FILLER: Mapping[str, tuple[str, int]] = MappingProxyType(
    {
        "merchant": ("code", 5000),
        "zip_code": ("code", 3000),
        "merchant_category": ("code", 40),
        "card_type": ("code", 4),
        "channel": ("code", 5),
        "is_contactless": ("flag", 2),
        "is_recurring": ("flag", 2),
        "card_age_days": ("days", 0),
        "basket_items": ("count", 0),
    }
)

BLOCK_COLUMNS = 5


@dataclass(frozen=True)
class Filler:
    """A column that says nothing about y."""

    name: str
    kind: str
    block: int  # the velocities and bureaus of a block have to do with each other
    shape: float  # from 0 to 1; what it means depends on the kind
    n_levels: int = 0


@dataclass(frozen=True)
class Layout:
    """Which columns a table has, and in which order."""

    names: tuple[str, ...]
    relevant: tuple[str, ...]
    stand_ins: Mapping[str, tuple[str, ...]]
    filler: tuple[Filler, ...]
    dtypes: Mapping[str, pd.CategoricalDtype]

    def draw(self, relevant: Mapping[str, Array], rng: np.random.Generator) -> dict[str, Array]:
        """Draw all columns of the rows of which these are the relevant ones; categories as codes."""
        n_rows = len(relevant["amount"])
        columns = {**relevant, **draw_stand_ins(relevant, rng)}
        n_blocks = 1 + max((column.block for column in self.filler), default=0)
        shared = rng.standard_normal((n_blocks, n_rows), dtype=np.float32)
        columns |= {column.name: DRAWS[column.kind](column, shared[column.block], rng) for column in self.filler}
        return {name: columns[name] for name in self.names}

    def spell(self, columns: Mapping[str, Array]) -> dict[str, Array | pd.Categorical]:
        """Give the columns with their text in place of codes."""
        return {
            name: pd.Categorical.from_codes(values, dtype=self.dtypes[name]) if name in self.dtypes else values
            for name, values in columns.items()
        }


def draw_layout(n_features: int, rng: np.random.Generator) -> Layout:
    """Draw the columns of a table, in any order but for an original, which comes before what is made from it."""
    relevant = [name for names in SIGNS.values() for name in names]
    copies = [name for names in STAND_INS.values() for name in names][: (n_features - len(relevant)) // 2]
    filler = [_draw_filler(number, rng) for number in range(n_features - len(relevant) - len(copies))]
    names = [*relevant, *copies, *(column.name for column in filler)]
    order = [names[place] for place in rng.permutation(len(names))]
    stand_ins = {}
    for original, made in STAND_INS.items():
        family = (original, *(name for name in made if name in copies))
        for place, name in zip(sorted(map(order.index, family)), family, strict=True):
            order[place] = name
        stand_ins[original] = family[1:]
    levels = {**LEVELS, **{column.name: _spell_levels(column) for column in filler if column.kind == "code"}}
    return Layout(
        names=tuple(order),
        relevant=tuple(name for name in order if name in relevant),
        stand_ins={original: made for original, made in stand_ins.items() if made},
        filler=tuple(filler),
        dtypes={name: pd.CategoricalDtype(list(texts)) for name, texts in levels.items() if name in order},
    )


def draw_stand_ins(relevant: Mapping[str, Array], rng: np.random.Generator) -> dict[str, Array]:
    """Draw what is made from the relevant columns, each from one of them: copies, noisy copies, coarse ones."""
    amount, hour, score = relevant["amount"], relevant["hour"], relevant["issuer_score"]
    n_rows = len(amount)
    strange = rng.random(n_rows) < 0.1
    any_user = rng.integers(N_USERS, size=n_rows, dtype=np.int8)
    blur = np.exp(rng.standard_normal((2, n_rows), dtype=np.float32) / 4)
    return {
        "account": relevant["card_user"],
        "wifi_user": np.where(strange, any_user, relevant["device_user"]),
        "phone_prefix": relevant["billing_country"],
        "ip_region": relevant["ip_country"] // 4,
        "amount_eur": amount,
        "amount_log": np.log(amount),
        "fee": 0.015 * amount * blur[0],
        "hour_utc": (hour + 23) % 24,
        "daypart": hour // 8,  # the night ends within the first
        "spend_week": 7 * relevant["spend_today"] * blur[1],
        "spend_usual_usd": relevant["spend_usual"] * np.float32(1.25),
        "scheme_score": score,
        "issuer_grade": np.where(np.isnan(score), -1, score // 200).astype(np.int8),
    }


def _draw_filler(number: int, rng: np.random.Generator) -> Filler:
    if number < len(NAMED_FILLER):
        name, (kind, n_levels) = list(NAMED_FILLER.items())[number]
        return Filler(name, kind, block=0, shape=rng.random(), n_levels=n_levels)
    round_, turn = divmod(number - len(NAMED_FILLER), len(DRAWS))
    kind = list(DRAWS)[turn]
    n_levels = int(rng.integers(3, 60)) if kind == "code" else 0
    return Filler(f"{kind}_{round_ + 1}", kind, block=round_ // BLOCK_COLUMNS, shape=rng.random(), n_levels=n_levels)


def _spell_levels(column: Filler) -> list[str]:
    width = len(str(column.n_levels - 1))
    return [f"{column.name[0]}{code:0{width}d}" for code in range(column.n_levels)]


def _blend(column: Filler, shared: Array, rng: np.random.Generator) -> Array:
    """Draw a normal column whose correlation with what its block shares is from 0.5 to 0.95."""
    correlation = np.float32(0.5 + 0.45 * column.shape)
    own = rng.standard_normal(len(shared), dtype=np.float32)
    blend: Array = correlation * shared + np.sqrt(1 - correlation**2) * own
    return blend


def _draw_velocity(column: Filler, shared: Array, rng: np.random.Generator) -> Array:
    skewed: Array = np.exp(_blend(column, shared, rng))
    return skewed


def _draw_bureau(column: Filler, shared: Array, rng: np.random.Generator) -> Array:
    """Draw a column that is missing where the others of its block are: where little is known of a client."""
    return np.where(shared < -1, np.float32(np.nan), _blend(column, shared, rng))


def _draw_signal(column: Filler, shared: Array, rng: np.random.Generator) -> Array:
    return rng.standard_normal(len(shared), dtype=np.float32)


def _draw_balance(column: Filler, shared: Array, rng: np.random.Generator) -> Array:
    values = np.exp(2 * rng.standard_normal(len(shared), dtype=np.float32))
    return np.where(_gaps(column, len(shared), rng), np.float32(np.nan), values)


def _draw_count(column: Filler, shared: Array, rng: np.random.Generator) -> Array:
    amounts = rng.standard_exponential(len(shared), dtype=np.float32) * np.float32(math.exp(3 * column.shape))
    return amounts.clip(max=127).astype(np.int8)


def _draw_days(column: Filler, shared: Array, rng: np.random.Generator) -> Array:
    return rng.integers(30, 1000 + int(3000 * column.shape), size=len(shared), dtype=np.int16)


def _draw_flag(column: Filler, shared: Array, rng: np.random.Generator) -> Array:
    return rng.random(len(shared), dtype=np.float32) < 0.01 + 0.5 * column.shape


def _draw_code(column: Filler, shared: Array, rng: np.random.Generator) -> Array:
    """Draw codes of which the first are the most frequent, in every other column with gaps."""
    ranks = rng.random(len(shared), dtype=np.float32) ** np.float32(1 + 2 * column.shape)
    codes = np.minimum(column.n_levels * ranks, column.n_levels - 1).astype(np.int16)
    return codes if column.n_levels % 2 == 0 else np.where(_gaps(column, len(shared), rng), np.int16(-1), codes)


def _gaps(column: Filler, n_rows: int, rng: np.random.Generator) -> Array:
    return rng.random(n_rows, dtype=np.float32) < 0.02 + 0.4 * column.shape


DRAWS: Mapping[str, Callable[[Filler, Array, np.random.Generator], Array]] = MappingProxyType(
    {
        "velocity": _draw_velocity,
        "bureau": _draw_bureau,
        "signal": _draw_signal,
        "balance": _draw_balance,
        "count": _draw_count,
        "days": _draw_days,
        "flag": _draw_flag,
        "code": _draw_code,
    }
)
