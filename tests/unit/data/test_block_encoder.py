"""Blocks are encoded to the same bits on the CPU and on a device."""

import numpy as np
import pyarrow as pa
import pytest
import torch

from minerva_select.data.block_encoder import CPU, BlockEncoder
from minerva_select.data.device_steps import DeviceEncoder
from minerva_select.data.encoded_rows import MISSING_QUANTILE, pack_quantiles
from minerva_select.data.frames import as_table
from minerva_select.preprocessing.column_types import infer_column_types
from minerva_select.preprocessing.table_encoder import TableEncoder

needs_gpu = pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
DEVICES = [CPU, pytest.param(torch.device("cuda"), marks=needs_gpu)]


def rows(n_rows, seed, dtype=np.float64):
    rng = np.random.default_rng(seed)
    amount = rng.normal(size=n_rows).astype(dtype)
    amount[::7] = np.nan
    return pa.table(
        {
            "amount": pa.array(amount, from_pandas=True),
            "narrow": pa.array(rng.normal(size=n_rows).astype(np.float32)),
            "ties": pa.array(np.round(rng.normal(size=n_rows), 1)),
            "zeros": pa.array(rng.choice([-0.0, 0.0, 1e-300, -1e300, 1e300], n_rows)),
            "count": pa.array(rng.integers(0, 5_000, n_rows)),
            "grade": pa.array(rng.integers(-3, 9 + 3 * seed, n_rows), mask=rng.random(n_rows) < 0.1),
            "flag": pa.array(rng.random(n_rows) < 0.3),
            "country": pa.array(rng.choice(["NL", "IT", "FR", None][: 3 + seed % 2], n_rows).tolist()),
        }
    )


def pack(quantiles):
    return pack_quantiles(torch.from_numpy(quantiles)).numpy()


def fitted(data, **column_types):
    table = as_table(data)
    return TableEncoder(infer_column_types(table) | column_types).fit(table)


def assert_same(one, other):
    assert np.array_equal(one.quantiles, other.quantiles)
    assert one.quantiles.dtype == other.quantiles.dtype
    assert np.array_equal(one.codes, other.codes)
    assert one.codes.dtype == other.codes.dtype
    assert (one.n_levels, one.numeric, one.categorical) == (other.n_levels, other.numeric, other.categorical)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_packed_encoder_gives_the_packed_quantiles(dtype):
    encoder = fitted(rows(3_000, 0, dtype))
    plain, packed = (one.transform(as_table(rows(500, 1, dtype))) for one in (encoder, encoder.packed(pack)))
    assert np.array_equal(pack(plain.quantiles), packed.quantiles)
    assert packed.quantiles.dtype == np.int16
    assert (packed.quantiles == MISSING_QUANTILE).any()
    assert np.array_equal(plain.codes, packed.codes)


@pytest.mark.parametrize("device", DEVICES, ids=str)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n_training_rows", [40, 20_000])
def test_a_device_encodes_to_the_same_bits(device, dtype, n_training_rows):
    encoder = fitted(rows(n_training_rows, 0, dtype)).packed(pack)
    on_device = DeviceEncoder(encoder, device)
    for seed in (0, 1):  # training rows, and others that have values and levels beyond those
        table = as_table(rows(n_training_rows, seed, dtype))
        assert on_device.can_encode(table)
        assert_same(on_device.encode(table), encoder.transform(table))


@pytest.mark.parametrize("device", DEVICES, ids=str)
def test_columns_without_numbers_to_learn_from_are_encoded_alike(device):
    data = pa.table({"x": pa.array([None, None, None], pa.float64()), "y": ["a", "b", None]})
    encoder = fitted(data, x="numeric").packed(pack)
    table = as_table(pa.table({"x": [1.0, None], "y": ["b", "c"]}))
    assert_same(DeviceEncoder(encoder, device).encode(table), encoder.transform(table))


def test_a_device_leaves_columns_of_other_types_to_the_cpu():
    encoder = fitted(pa.table({"x": np.arange(600, dtype=np.float32) / 7, "z": np.arange(600) / 3})).packed(pack)
    on_device = DeviceEncoder(encoder, CPU)
    wide = as_table(pa.table({"x": [0.1], "z": [0.1]}))  # 0.1 in 8 bytes, which 4 bytes would round
    same = as_table(pa.table({"x": pa.array([0.1], pa.float32()), "z": [0.1]}))
    assert [on_device.can_encode(table) for table in (wide, same)] == [False, True]


@pytest.mark.parametrize("fails_at", ["start", "block"])
def test_the_cpu_takes_over_from_a_device_that_fails(monkeypatch, fails_at):
    calls = []

    def fail(*_):
        calls.append(1)
        raise torch.OutOfMemoryError

    monkeypatch.setattr(DeviceEncoder, "__init__" if fails_at == "start" else "encode", fail)
    if fails_at == "block":
        monkeypatch.setattr(DeviceEncoder, "__init__", lambda *_: None)
        monkeypatch.setattr(DeviceEncoder, "can_encode", lambda *_: True)
    encoder = fitted(rows(300, 0)).packed(pack)
    on_device = BlockEncoder(encoder, torch.device("cuda"))
    for seed in (0, 1):
        assert_same(on_device(rows(100, seed)), encoder.transform(as_table(rows(100, seed))))
    assert len(calls) == 1
