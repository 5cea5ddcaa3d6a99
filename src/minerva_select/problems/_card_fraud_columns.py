"""The irrelevant columns of the card-fraud table: proxies of the relevant ones, and noise."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
import pandas as pd

from minerva_select.problems._card_fraud_patterns import COUNTRIES, N_USERS, PATTERNS
from minerva_select.schema import Array

PROXIES: Mapping[str, tuple[str, ...]] = MappingProxyType(
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

NAMED_NOISE: Mapping[str, tuple[str, int]] = MappingProxyType(
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

ROUNDS_PER_GROUP = 5  # a round has one column of each kind


@dataclass(frozen=True)
class NoiseColumn:
    """A column that is independent of y."""

    name: str
    kind: str
    group: int  # velocity and bureau columns of the same group are correlated
    shape: float  # parameter of the distribution, from 0 to 1; its meaning depends on the kind
    n_levels: int = 0


@dataclass(frozen=True)
class ColumnPlan:
    """The columns of a table, in order."""

    names: tuple[str, ...]
    relevant: tuple[str, ...]
    proxies: Mapping[str, tuple[str, ...]]
    noise: tuple[NoiseColumn, ...]
    dtypes: Mapping[str, pd.CategoricalDtype]

    def draw(self, relevant: Mapping[str, Array], rng: np.random.Generator) -> dict[str, Array]:
        """Draw all columns, given the relevant ones; categorical columns as integer codes."""
        n_rows = len(relevant["amount"])
        columns = {**relevant, **draw_proxies(relevant, rng)}
        n_groups = 1 + max((column.group for column in self.noise), default=0)
        shared = rng.standard_normal((n_groups, n_rows), dtype=np.float32)
        columns |= {column.name: DRAW[column.kind](column, shared[column.group], rng) for column in self.noise}
        return {name: columns[name] for name in self.names}

    def decode(self, columns: Mapping[str, Array]) -> dict[str, Array | pd.Categorical]:
        """Replace integer codes by categorical columns with string levels."""
        return {
            name: pd.Categorical.from_codes(values, dtype=self.dtypes[name]) if name in self.dtypes else values
            for name, values in columns.items()
        }


def draw_column_plan(n_features: int, rng: np.random.Generator) -> ColumnPlan:
    """Draw the columns of a table in random order, but every original before its proxies."""
    relevant = [name for names in PATTERNS.values() for name in names]
    proxies = [name for names in PROXIES.values() for name in names][: (n_features - len(relevant)) // 2]
    noise = [_plan_noise_column(number, rng) for number in range(n_features - len(relevant) - len(proxies))]
    names = [*relevant, *proxies, *(column.name for column in noise)]
    order = [names[position] for position in rng.permutation(len(names))]
    proxies_of = {}
    for original, derived in PROXIES.items():
        family = (original, *(name for name in derived if name in proxies))
        for position, name in zip(sorted(map(order.index, family)), family, strict=True):
            order[position] = name
        proxies_of[original] = family[1:]
    levels = {**LEVELS, **{column.name: _level_names(column) for column in noise if column.kind == "code"}}
    return ColumnPlan(
        names=tuple(order),
        relevant=tuple(name for name in order if name in relevant),
        proxies={original: derived for original, derived in proxies_of.items() if derived},
        noise=tuple(noise),
        dtypes={name: pd.CategoricalDtype(list(texts)) for name, texts in levels.items() if name in order},
    )


def draw_proxies(relevant: Mapping[str, Array], rng: np.random.Generator) -> dict[str, Array]:
    """Draw exact, noisy and coarse copies of the relevant columns."""
    amount, hour, score = relevant["amount"], relevant["hour"], relevant["issuer_score"]
    n_rows = len(amount)
    is_random_user = rng.random(n_rows) < 0.1
    random_user = rng.integers(N_USERS, size=n_rows, dtype=np.int8)
    noise = np.exp(rng.standard_normal((2, n_rows), dtype=np.float32) / 4)
    return {
        "account": relevant["card_user"],
        "wifi_user": np.where(is_random_user, random_user, relevant["device_user"]),
        "phone_prefix": relevant["billing_country"],
        "ip_region": relevant["ip_country"] // 4,
        "amount_eur": amount,
        "amount_log": np.log(amount),
        "fee": 0.015 * amount * noise[0],
        "hour_utc": (hour + 23) % 24,
        "daypart": hour // 8,  # the first includes the night and two more hours
        "spend_week": 7 * relevant["spend_today"] * noise[1],
        "spend_usual_usd": relevant["spend_usual"] * np.float32(1.25),
        "scheme_score": score,
        "issuer_grade": np.where(np.isnan(score), -1, score // 200).astype(np.int8),
    }


def _plan_noise_column(number: int, rng: np.random.Generator) -> NoiseColumn:
    if number < len(NAMED_NOISE):
        name, (kind, n_levels) = list(NAMED_NOISE.items())[number]
        return NoiseColumn(name, kind, group=0, shape=rng.random(), n_levels=n_levels)
    round_, position = divmod(number - len(NAMED_NOISE), len(DRAW))
    kind = list(DRAW)[position]
    n_levels = int(rng.integers(3, 60)) if kind == "code" else 0
    group = round_ // ROUNDS_PER_GROUP
    return NoiseColumn(f"{kind}_{round_ + 1}", kind, group, shape=rng.random(), n_levels=n_levels)


def _level_names(column: NoiseColumn) -> list[str]:
    width = len(str(column.n_levels - 1))
    return [f"{column.name[0]}{code:0{width}d}" for code in range(column.n_levels)]


def _draw_correlated(column: NoiseColumn, shared: Array, rng: np.random.Generator) -> Array:
    """Draw a normal column with correlation 0.5 to 0.95 with the shared variable of its group."""
    correlation = np.float32(0.5 + 0.45 * column.shape)
    own = rng.standard_normal(len(shared), dtype=np.float32)
    values: Array = correlation * shared + np.sqrt(1 - correlation**2) * own
    return values


def _draw_velocity(column: NoiseColumn, shared: Array, rng: np.random.Generator) -> Array:
    skewed: Array = np.exp(_draw_correlated(column, shared, rng))
    return skewed


def _draw_bureau(column: NoiseColumn, shared: Array, rng: np.random.Generator) -> Array:
    """Draw a column that is missing in the same rows as the other bureau columns of its group."""
    return np.where(shared < -1, np.float32(np.nan), _draw_correlated(column, shared, rng))


def _draw_signal(column: NoiseColumn, shared: Array, rng: np.random.Generator) -> Array:
    return rng.standard_normal(len(shared), dtype=np.float32)


def _draw_balance(column: NoiseColumn, shared: Array, rng: np.random.Generator) -> Array:
    values = np.exp(2 * rng.standard_normal(len(shared), dtype=np.float32))
    return np.where(_draw_missing(column, len(shared), rng), np.float32(np.nan), values)


def _draw_count(column: NoiseColumn, shared: Array, rng: np.random.Generator) -> Array:
    values = rng.standard_exponential(len(shared), dtype=np.float32) * np.float32(math.exp(3 * column.shape))
    return values.clip(max=127).astype(np.int8)


def _draw_days(column: NoiseColumn, shared: Array, rng: np.random.Generator) -> Array:
    return rng.integers(30, 1000 + int(3000 * column.shape), size=len(shared), dtype=np.int16)


def _draw_flag(column: NoiseColumn, shared: Array, rng: np.random.Generator) -> Array:
    return rng.random(len(shared), dtype=np.float32) < 0.01 + 0.5 * column.shape


def _draw_code(column: NoiseColumn, shared: Array, rng: np.random.Generator) -> Array:
    """Draw codes, lower ones more often; columns with an odd number of levels have missing values."""
    quantiles = rng.random(len(shared), dtype=np.float32) ** np.float32(1 + 2 * column.shape)
    codes = np.minimum(column.n_levels * quantiles, column.n_levels - 1).astype(np.int16)
    return codes if column.n_levels % 2 == 0 else np.where(_draw_missing(column, len(shared), rng), np.int16(-1), codes)


def _draw_missing(column: NoiseColumn, n_rows: int, rng: np.random.Generator) -> Array:
    return rng.random(n_rows, dtype=np.float32) < 0.02 + 0.4 * column.shape


DRAW: Mapping[str, Callable[[NoiseColumn, Array, np.random.Generator], Array]] = MappingProxyType(
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
