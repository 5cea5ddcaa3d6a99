"""The readers under fuzzing: for each kind of file, valid seeds and a function that reads an input."""

import json
import shutil
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from fuzz_tables import (
    WrongAnswerError,
    arrow_seeds,
    check_sentence,
    csv_seeds,
    parquet_seeds,
    run_arrow,
    run_csv,
    run_parquet,
)
from minerva_select import open_source
from minerva_select.data.frames import as_table
from minerva_select.errors import MinervaError
from minerva_select.results import (
    Estimate,
    FeatureResult,
    Provenance,
    Reason,
    ReasonCode,
    Role,
    Selection,
    SelectionWarning,
    WarningCode,
    WeightRecord,
)


@dataclass(frozen=True)
class FuzzTarget:
    """Seeds, tokens to insert, and a function that reads an input in an empty folder and returns the outcome."""

    seeds: Callable[[], list[bytes]]
    run: Callable[[bytes, Path], str]
    tokens: tuple[bytes, ...] = ()


def run_selection(data: bytes, folder: Path) -> str:
    path = folder / "selection.json"
    path.write_bytes(data)
    try:
        selection = Selection.load(path)
    except MinervaError as error:
        check_sentence(error)
        return f"{type(error).__name__}: {error}"
    selection.save(folder / "again.json")
    if Selection.load(folder / "again.json").to_json() != selection.to_json():
        raise WrongAnswerError("a loaded selection changes when it is saved and loaded again")
    if not str(selection) or len(selection.to_frame()) != len(selection.features):
        raise WrongAnswerError("a loaded selection has no text or table")
    return "loaded"


def selection_seeds() -> list[bytes]:
    estimate = Estimate(0.5, 0.4, 0.6, n_rows=100)
    features = (
        FeatureResult("a", True, Reason(ReasonCode.CONTRIBUTES), weight=1.0, role=Role.TOGETHER, partners=("b",)),
        FeatureResult("b", False, Reason(ReasonCode.EQUIVALENT, ("a",)), replaced_by=("a",)),
    )
    full = Selection(
        target="y",
        features=features,
        mutual_information=estimate,
        total_information=None,
        n_rows=100,
        settings={"keep": [1, {"deep": [None, True]}]},
        warnings=(SelectionWarning(WarningCode.FEW_ROWS, values={"n_rows": 100}),),
        weight_history=(WeightRecord(1, {"a": 0.5}),),
        provenance=Provenance("2026-01-01T12:00:00+00:00", "0f", 3, "cpu", data="/etc/passwd", command="rm -rf /"),
    )
    fields = json.loads(full.to_json())
    optional = ("pairs", "suspects", "weight_history", "repeats", "provenance")
    short = {name: value for name, value in fields.items() if name not in optional}
    return [full.to_json().encode(), json.dumps(fields).encode(), json.dumps(short).encode()]


def run_store(data: bytes, folder: Path) -> str:
    import pandas as pd
    import torch

    from minerva_select.data.encoded_store import EncodedStore
    from minerva_select.preprocessing.column_types import infer_column_types
    from minerva_select.preprocessing.table_encoder import TableEncoder

    frame = pd.DataFrame({"amount": np.arange(30.0), "country": ["NL", "IT", "FR"] * 10})
    encoder = TableEncoder(infer_column_types(as_table(frame))).fit(as_table(frame))
    good, cache = folder / "good", folder / "cache"
    expected = EncodedStore.build(open_source(frame), encoder, good, key="k").rows().take(torch.arange(30))
    shutil.rmtree(cache, ignore_errors=True)
    shutil.copytree(good, cache)
    name = {b"1": "quantiles.bin", b"2": "codes.bin"}.get(data[:1], "store.json")
    size = (cache / name).stat().st_size
    (cache / name).write_bytes(data[1:])
    try:
        found = EncodedStore.build(open_source(frame), encoder, cache, key="k").rows().take(torch.arange(30))
    except MinervaError as error:
        check_sentence(error)
        return f"{type(error).__name__}: {error}"
    same = torch.equal(found.quantiles, expected.quantiles) and torch.equal(found.codes, expected.codes)
    if not same and (name == "store.json" or len(data) - 1 != size):
        raise WrongAnswerError("a store with different rows was accepted")
    return f"accepted {name}"


def store_seeds() -> list[bytes]:
    fields = {"key": "k", "n_rows": 30, "n_numeric": 1, "n_levels": [5], "positions": [0, 1]}
    headers = [fields | {"n_written": n_written, "any_missing": False} for n_written in (30, 12, 0)]
    return [b"0" + json.dumps(header).encode() for header in headers] + [b"1" + bytes(60), b"2" + bytes(30)]


def run_checkpoint(data: bytes, folder: Path) -> str:
    import torch
    from safetensors.torch import save

    from minerva_select.runtime.checkpoint import Checkpoint
    from minerva_select.runtime.checkpoint_files import fingerprint

    def checkpoint(*, resume: bool) -> Any:
        generator = torch.Generator().manual_seed(0)
        return Checkpoint(folder / "checkpoint", "fuzz", generator).open(resume=resume)

    shutil.rmtree(folder / "checkpoint", ignore_errors=True)
    first = checkpoint(resume=False)
    start = first.entry("learn")._start_id
    how, content = data[:1], data[1:]
    path = folder / "checkpoint" / ("checkpoint.json" if how == b"2" else "0001.finished.safetensors")
    if how == b"1":  # correct checksum, other metadata
        text = content.decode(errors="replace")
        if _is_object(text):
            return "metadata with a correct checksum are trusted"
        tensors = {"state.counts": torch.tensor([3, 4])}
        content = save(tensors, {"start": start, "metadata": text, "checksum": fingerprint(text, tensors)})
    path.write_bytes(content)
    try:
        saved = checkpoint(resume=True).entry("learn").saved
    except MinervaError as error:
        check_sentence(error)
        return f"{type(error).__name__}: {error}"
    if saved is not None and saved.tensors["counts"].tolist() != [3, 4]:
        raise WrongAnswerError(f"a checkpoint gave {saved}")
    return f"resumed, with {len(list(path.parent.iterdir()))} files"


def _is_object(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except (ValueError, RecursionError):
        return False


def checkpoint_seeds() -> list[bytes]:
    import torch

    from minerva_select.runtime.checkpoint import Checkpoint
    from minerva_select.runtime.checkpoint_files import State

    with tempfile.TemporaryDirectory() as folder:
        generator = torch.Generator().manual_seed(0)
        entry = Checkpoint(Path(folder), "fuzz", generator).open(resume=False).entry("learn")
        entry.finish(State({"counts": torch.tensor([3, 4])}))
        state = (Path(folder) / "0001.finished.safetensors").read_bytes()
        header = (Path(folder) / "checkpoint.json").read_bytes()
    return [b"0" + state, b'1{"step": 3}', b"1[]", b"2" + header]


JSON_TOKENS = (
    b"null",
    b"NaN",
    b"1e999",
    b"-0",
    b"9" * 40,
    b'"\\ud800"',
    b"[" * 50,
    b'{"":',
    b"true",
    b"\\u0000",
    b"2.5",
)
ARROW_TOKENS = (b"ARROW1", b"\xff\xff\xff\xff", b"FEA1", b"\x00" * 8, b"\xff" * 8, b"\x7f\xff\xff\xff", b"arrow.uuid")
TARGETS = {
    "csv": FuzzTarget(
        csv_seeds, run_csv, (b'"', b",", b"\n", b"\r", b"\0", b"\xff", b"nan", b"1e999", b"9" * 20, b"\x1f\x8b")
    ),
    "parquet": FuzzTarget(parquet_seeds, run_parquet, (b"PAR1", b"PARE", b"\xff\xff\xff\xff\x0f", *ARROW_TOKENS)),
    "arrow": FuzzTarget(arrow_seeds, run_arrow, ARROW_TOKENS),
    "selection": FuzzTarget(selection_seeds, run_selection, JSON_TOKENS),
    "store": FuzzTarget(store_seeds, run_store, (*JSON_TOKENS, b"-1", b"3.5")),
    "checkpoint": FuzzTarget(checkpoint_seeds, run_checkpoint, (*JSON_TOKENS, b"F8_E4M3", b"BF16", b"BOOL", b"C64")),
}
