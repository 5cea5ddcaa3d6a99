"""Reading files executes no code, nothing connects to a network, and files on disk are private."""

from __future__ import annotations

import ast
import csv
import dataclasses
import fcntl
import gc
import io
import json
import os
import pickle
import re
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet
from typer.testing import CliRunner

import minerva_select
from full_selection import full_selection
from minerva_select import MinervaSelector, Selection, open_source
from minerva_select.cli import app
from minerva_select.cli.comparison_view import to_markdown
from minerva_select.cli.output_files import write_results
from minerva_select.codes import FailureCode
from minerva_select.data import csv_files
from minerva_select.data.encoded_store_files import (
    CODES,
    QUANTILES,
    STATE,
    StoreState,
    open_for_writing,
    read_state,
    record_state,
)
from minerva_select.data.loading import read_table
from minerva_select.errors import InputError
from minerva_select.evaluation.downstream import Score
from minerva_select.evaluation.failures import Failure
from minerva_select.evaluation.leaderboard import Comparison, MethodResult
from minerva_select.evaluation.records import Records
from minerva_select.io.atomic import atomic_write, make_private_directory
from minerva_select.problems import equality
from minerva_select.report import render
from minerva_select.results import Estimate, FeatureResult, Reason, ReasonCode

SOURCES = Path(minerva_select.__file__).parent

# ---------------------------------------------------------------------------------------- dangerous calls in the source

UNSAFE_LOADERS = {"pickle", "cPickle", "_pickle", "dill", "cloudpickle", "marshal", "shelve", "jsonpickle", "yaml"}
UNSAFE_BUILTINS = {"eval", "exec", "compile", "__import__"}
UNSAFE_FUNCTIONS = {
    *("torch.load", "torch.save", "joblib.load", "joblib.dump", "np.load", "numpy.load", "pd.read_pickle"),
    *("os.system", "os.popen", "tempfile.mktemp"),
    *("all_gather_object", "gather_object", "broadcast_object_list", "scatter_object_list"),
}
TRUSTED = "# trusted:"  # marks a line that may use one of these; the rest of the comment is the reason


def find_dangers(code):
    """Names in a source that can execute what they read, except on lines marked as trusted."""
    found, lines = set(), code.splitlines()
    for node in ast.walk(ast.parse(code)):
        if TRUSTED in lines[getattr(node, "lineno", 1) - 1]:
            continue
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names if alias.name.split(".")[0] in UNSAFE_LOADERS}
        elif isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] in UNSAFE_LOADERS:
            found.add(node.module)
        elif isinstance(node, ast.Call):
            name = ast.unparse(node.func)
            if name in UNSAFE_BUILTINS or any(name == one or name.endswith(f".{one}") for one in UNSAFE_FUNCTIONS):
                found.add(name)
            for keyword in node.keywords:
                if keyword.arg in ("allow_pickle", "shell") and ast.unparse(keyword.value) != "False":
                    found.add(keyword.arg)
    return found


def test_no_source_can_execute_a_file_except_on_trusted_lines():
    files = [*SOURCES.rglob("*.py")]
    assert len(files) > 100
    assert {path.name: found for path in files if (found := find_dangers(path.read_text()))} == {}
    assert sum(path.read_text().count(TRUSTED) for path in files) == 2


@pytest.mark.parametrize(
    "code",
    [
        "import pickle",
        "from pickle import loads",
        "import torch; torch.load(path)",
        "import numpy as np; np.load(path)",
        "read(path, allow_pickle=True)",
        "eval(text)",
        "subprocess.run(text, shell=True)",
        "dist.all_gather_object(found, value)",
    ],
)
def test_the_search_finds_dangerous_calls(code):
    assert find_dangers(code)


def test_the_search_ignores_harmless_names():
    assert not find_dangers(
        "import re; re.compile(x); model.eval(); np.save(path, x, allow_pickle=False); json.load(file)"
    )


# -------------------------------------------------------------------------------------------------------- hostile files


class Payload:
    """Unpickling it runs a command that creates a file."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return os.system, (f"touch {self.path}",)


# Read valid files first, so that all modules are loaded, then the hostile ones with an audit hook
READER = """
import json, sys
from pathlib import Path
from minerva_select.runtime.checkpoint import Checkpoint
from minerva_select.runtime.checkpoint_files import read_state
from minerva_select.data.encoded_store_files import read_state as read_store
from minerva_select.errors import MinervaError
from minerva_select.report import render
from minerva_select.results import Selection

READERS = {
    ".json": lambda path: render(Selection.load(path)),
    ".safetensors": lambda path: read_state(path, "start"),
    "": lambda path: (read_store(path), Checkpoint(path, "key").open(resume=True)),
}
WATCHED = ("compile", "exec", "import", "open", "os.", "pickle.", "shutil.", "socket.", "subprocess.", "ctypes.")
QUIET = ("os.listdir", "os.scandir", "os.fwalk", "os.chmod", "os.mkdir", "os.rename", "os.remove")
folder, events, listening = Path(sys.argv[1]), [], False

def listen(event, arguments):
    if listening and event.startswith(WATCHED) and event not in QUIET:
        events.append([event, str(arguments[0]) if arguments else ""])

render(Selection.load(folder / "good.json"))
read_state(folder / "good.safetensors", "start")
sys.addaudithook(listen)
outcomes = {}
for path in sorted(folder.glob("hostile*")):
    listening = True
    try:
        READERS[path.suffix](path)
        outcome = "read"
    except MinervaError:
        outcome = "refused"
    listening = False
    outcomes[path.name] = outcome
print(json.dumps([outcomes, events]))
"""


def hostile_selection(text):
    """A valid selection that has this text in every string."""
    document = json.loads(full_selection(names=[text, "f1"]).to_json())
    document["target"] = text
    document["settings"] = {"random_state": text, text: text}
    document["versions"] = {text: text}
    document["provenance"] |= {"data": text, "command": text, "device": text}
    return json.dumps(document)


def test_hostile_files_execute_nothing_and_their_paths_are_not_opened(tmp_path):
    mark, secret = tmp_path / "mark", tmp_path / "secret.txt"
    secret.write_text("the secret")
    payload = pickle.dumps(Payload(mark))
    folder = tmp_path / "files"
    (folder / "hostile cache").mkdir(parents=True)
    files = {
        "good.json": full_selection().to_json(),
        "good.safetensors": "",
        "hostile pickle.json": payload,
        "hostile state.safetensors": payload,
        "hostile length.safetensors": (1 << 40).to_bytes(8, "little") + b"{}",
        "hostile objects.json": json.dumps({"schema_version": 2, "py/object": "os.system", "__reduce__": "os.system"}),
        "hostile tag.json": f"!!python/object/apply:os.system ['touch {mark}']",
        "hostile code.json": hostile_selection(f"__import__('os').system('touch {mark}')"),
        "hostile template.json": hostile_selection(
            f"{{{{ cycler.__init__.__globals__.os.system('touch {mark}') }}}}{{% include '{secret}' %}}"
        ),
        "hostile path.json": hostile_selection(str(secret)),
        "hostile address.json": hostile_selection(f"file://{secret}"),
        "hostile cache/store.json": payload,
        "hostile cache/checkpoint.json": payload,
    }
    for name, content in files.items():
        (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    run = subprocess.run(
        [sys.executable, "-c", READER, folder], capture_output=True, text=True, check=True, cwd=tmp_path
    )
    outcomes, events = json.loads(run.stdout)
    assert not mark.exists()
    read = {"hostile code.json", "hostile template.json", "hostile path.json", "hostile address.json"}
    states = {
        name for name in outcomes if name.endswith(".safetensors")
    }  # an invalid checkpoint is ignored, and the step runs again
    assert {name for name, outcome in outcomes.items() if outcome == "read"} == read | states
    assert len(outcomes) == 10
    opened = {argument for event, argument in events if event == "open"}
    ours = [path for path in opened if Path(path).is_relative_to(SOURCES / "report")]  # style and script of the page
    assert {path for path in opened if not Path(path).is_relative_to(folder)} == {*ours}
    assert {event for event, _ in events} == {"open"}


# -------------------------------------------------------------------------------------------------------------- network

OFFLINE = """
import sys
CONTACTS = ("socket.connect", "socket.bind", "socket.getaddrinfo", "socket.gethostby", "socket.send", "urllib.Request")

def refuse(event, arguments):
    if event.startswith(CONTACTS):
        print("contacted", event, arguments, file=sys.stderr)
        raise SystemExit(99)

sys.addaudithook(refuse)
"""

EVERYTHING = """
import importlib, pkgutil
import minerva_select

for module in pkgutil.walk_packages(minerva_select.__path__, "minerva_select."):
    if not module.name.endswith("__main__"):
        importlib.import_module(module.name)

from minerva_select.cli import main

def run(*arguments):
    sys.argv = ["minerva", *arguments]
    try:
        main()
    except SystemExit as end:
        assert not end.code, end.code

run("select", "data.csv", "--target", "is_same", "--out", "results", "--time-limit", "2", "--memory", "1MiB")
run("report", "results/selection.json", "--out", "again.html")
run("estimate", "data.csv", "--x", "f1", "--y", "is_same")
"""


def without_network():
    """Command prefix that disables the network for native code too, if this system permits it."""
    command = ["unshare", "--map-root-user", "--net"]
    if shutil.which(command[0]) is None:
        return []
    return command if subprocess.run([*command, "true"], capture_output=True, check=False).returncode == 0 else []


def run_offline(program, folder):
    command = [*without_network(), sys.executable, "-c", OFFLINE + program]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder, env=environment)


def test_commands_work_without_network_access_and_attempt_none(tmp_path):
    problem = equality(n_samples=200, n_features=3, n_levels=2, relevant=(0, 1), random_state=0)
    problem.X.assign(is_same=problem.y).to_csv(tmp_path / "data.csv", index=False)
    ended = run_offline(EVERYTHING, tmp_path)
    assert ended.returncode == 0, ended.stderr
    assert {path.name for path in tmp_path.rglob("*") if path.is_file()} == {
        *("data.csv", "selection.json", "report.html", "again.html")
    }


def test_a_connection_attempt_is_detected(tmp_path):
    assert run_offline("import socket; socket.create_connection(('127.0.0.1', 9))", tmp_path).returncode == 99


# ---------------------------------------------------------------------------------------------------- files and folders


@pytest.fixture
def open_umask():
    """A umask that makes new files accessible to everybody."""
    before = os.umask(0)
    yield
    os.umask(before)


def modes(folder):
    """Mode and type of every file and directory below a directory."""
    found = {}
    for path in folder.rglob("*"):
        try:
            found[path.relative_to(folder)] = path.stat().st_mode
        except FileNotFoundError:  # deleted in the meantime
            continue
    return found


class Watch:
    """Callback that records file modes; with ``fails`` it raises once all rows are written."""

    def __init__(self, folder, fails=False):
        self.folder, self.fails, self.seen = folder, fails, {}

    def __call__(self, progress):
        self.seen |= modes(self.folder)
        if self.fails and any(path.name == "store.json" for path in self.seen):
            raise RuntimeError("failed on purpose")

    def assert_private(self):
        assert any(path.name == "codes.bin" for path in self.seen)
        assert {*self.seen.values()} == {stat.S_IFREG | 0o600, stat.S_IFDIR | 0o700}


@pytest.fixture
def temporary(tmp_path, monkeypatch, open_umask):
    """The directory for temporary files."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    return folder


@pytest.fixture(scope="module")
def large():
    """A table that needs more than 1 MiB in a fit."""
    return equality(n_samples=6_000, n_features=6, n_levels=3, relevant=(1, 4), random_state=0)


def streamed(problem, watch, **parameters):
    return MinervaSelector(random_state=0, max_memory="1MiB", callbacks=[watch], **parameters).fit(problem.X, problem.y)


def test_temporary_files_are_private_and_deleted_after_a_fit(use_small_fits, large, temporary):
    watch = Watch(temporary)
    streamed(large, watch)
    gc.collect()
    watch.assert_private()
    assert not list(temporary.iterdir())


def test_temporary_files_are_deleted_after_a_failed_fit(use_small_fits, large, temporary):
    watch = Watch(temporary, fails=True)
    with pytest.raises(RuntimeError, match="failed on purpose"):
        streamed(large, watch)
    gc.collect()
    watch.assert_private()
    assert not list(temporary.iterdir())


def test_the_cache_is_private(use_small_fits, large, temporary):
    watch = Watch(temporary)
    streamed(large, watch, cache_dir=temporary / "cache")
    watch.seen |= modes(temporary)
    watch.assert_private()
    assert any(path.suffix == ".safetensors" for path in watch.seen)


def test_the_staged_copy_of_a_table_is_private(temporary):
    (temporary / "data.csv").write_text("a,b\n1,2\n")
    with open_source(temporary / "data.csv", folder=temporary / "cache"):
        [copy] = (temporary / "cache").iterdir()
        assert stat.S_IMODE(copy.stat().st_mode) == 0o600
        assert stat.S_IMODE(copy.parent.stat().st_mode) == 0o700


def test_rows_are_written_neither_through_a_link_nor_to_a_file_that_others_can_read(tmp_path):
    state = StoreState("key", n_rows=1, n_numeric=0, n_levels=(2,), positions=(0,))
    target = tmp_path / "elsewhere"
    target.write_text("mine")
    (tmp_path / "codes.bin").symlink_to(target)
    (tmp_path / "quantiles.bin").touch(0o666)
    for name in ("codes.bin", "quantiles.bin"):
        open_for_writing(tmp_path, name, state).close()
        assert stat.S_IMODE((tmp_path / name).lstat().st_mode) == 0o600
    assert target.read_text() == "mine"


@pytest.mark.parametrize(("umask", "mode"), [(0o022, 0o644), (0o077, 0o600), (0, 0o644)])
def test_results_follow_the_umask_and_are_never_writable_by_others(tmp_path, umask, mode):
    before = os.umask(umask)
    try:
        atomic_write(tmp_path / "selection.json", "{}")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "selection.json").stat().st_mode) == mode


# -------------------------------------------------------------------------------- links and pipes in a shared directory


@pytest.fixture
def victim(tmp_path):
    """A file that hostile links point to; it must stay unchanged."""
    folder = tmp_path / "victim"
    folder.mkdir()
    (folder / "mine.txt").write_text("mine")
    yield folder / "mine.txt"
    assert [path.name for path in folder.iterdir()] == ["mine.txt"]
    assert (folder / "mine.txt").read_text() == "mine"


@pytest.fixture
def shared(tmp_path):
    """A directory that others can write to."""
    folder = tmp_path / "shared"
    folder.mkdir()
    return folder


def test_results_replace_links_instead_of_following_them(shared, victim):
    for name in ("selection.json", "report.html"):
        (shared / name).symlink_to(victim)
    write_results(full_selection(), shared)
    assert Selection.load(shared / "selection.json") == full_selection()
    assert not any(path.is_symlink() for path in shared.iterdir())


def test_a_temporary_file_that_is_replaced_by_a_link_is_not_written_through_it(shared, victim, monkeypatch):
    """Other users can see the name of a temporary file while it exists."""

    def replace_by_link(*arguments, flock=fcntl.flock):
        [unfinished] = shared.iterdir()
        unfinished.unlink()
        unfinished.symlink_to(victim)
        flock(*arguments)

    monkeypatch.setattr("minerva_select.io.atomic.fcntl.flock", replace_by_link)
    atomic_write(shared / "selection.json", "{}")
    assert victim.read_text() == "mine"


@pytest.mark.parametrize("plant", [os.mkfifo, lambda path: path.symlink_to("/dev/zero")], ids=["pipe", "link"])
def test_pipes_and_links_with_the_name_of_a_temporary_file_are_ignored(shared, plant):
    plant(shared / ".selection.json.abcd.part")
    atomic_write(shared / "selection.json", "{}")
    assert (shared / "selection.json").read_text() == "{}"


def test_a_link_as_working_directory_is_refused(shared, victim):
    (shared / "rows-0").symlink_to(victim.parent)
    with pytest.raises(InputError, match=r"rows-0' .*link"):
        make_private_directory(shared / "rows-0")


def test_select_refuses_a_link_as_its_working_directory(shared, victim):
    (shared / "data.csv").write_text("a,y\n1,0\n2,1\n")
    (shared / ".minerva").symlink_to(victim.parent)
    result = CliRunner().invoke(app, ["select", f"{shared}/data.csv", "--target", "y", "--out", str(shared)])
    assert result.exit_code == 2
    assert ".minerva' is a link" in result.stderr


def test_select_refuses_a_working_directory_of_another_user(shared, monkeypatch):
    (shared / "data.csv").write_text("a,y\n1,0\n2,1\n")
    (shared / ".minerva").mkdir()
    monkeypatch.setattr("minerva_select.cli.output_files.os.geteuid", lambda: (shared / ".minerva").stat().st_uid + 1)
    result = CliRunner().invoke(app, ["select", f"{shared}/data.csv", "--target", "y", "--out", str(shared)])
    assert result.exit_code == 2
    assert "another user" in result.stderr


STORE = StoreState("key", n_rows=2, n_numeric=0, n_levels=(2,), positions=(0,), n_written=2)


@pytest.mark.parametrize("name", [STATE, QUANTILES, CODES])
@pytest.mark.parametrize("plant", ["pipe", "link", "endless"])
def test_a_store_with_pipes_or_links_is_damaged(shared, name, plant):
    empty = dataclasses.replace(STORE, n_written=0)
    with open_for_writing(shared, QUANTILES, empty) as quantiles, open_for_writing(shared, CODES, empty) as codes:
        codes.write(bytes(2))
        record_state(shared, STORE, quantiles, codes)
    assert read_state(shared) == STORE
    path = (shared / name).rename(shared / "elsewhere")
    if plant == "pipe":
        os.mkfifo(shared / name)
    else:
        (shared / name).symlink_to("/dev/zero" if plant == "endless" else path)
    with pytest.raises(InputError, match="damaged"):
        read_state(shared)


def test_appended_rows_are_not_written_through_a_link(shared, victim):
    (shared / CODES).symlink_to(victim)
    with pytest.raises(OSError, match="symbolic links"):
        open_for_writing(shared, CODES, STORE)


def test_a_link_is_replaced_by_the_staged_copy(shared, victim):
    (shared / "data.csv").write_text("a,b\n1,2\n")
    with open_source(shared / "data.csv", folder=shared / "cache"):
        [copy] = (shared / "cache").iterdir()
    copy.unlink()
    copy.symlink_to(victim)
    with open_source(shared / "data.csv", folder=shared / "cache") as source:
        assert source.read().to_pylist() == [{"a": 1, "b": 2}]
    assert not copy.is_symlink()


def test_records_are_not_appended_through_a_link(shared, victim):
    (shared / "cells.jsonl").symlink_to(victim)
    with pytest.raises(InputError, match=r"cells\.jsonl' is a link"):
        Records(shared / "cells.jsonl").append({"method": "ksg"})


# -------------------------------------------------------------------------------------------------------- hostile names

CONTROL_SEQUENCES = {
    "colors": "\x1b[31mred",
    "the window title": "\x1b]0;owned\x07",
    "a link": "\x1b]8;;http://bad.example\x1b\\\\here",
    "the clipboard": "\x1b]52;c;cm0gLXJm\x07",
    "a one-byte CSI": "\x9b31m",
    "a line break": "a\r\nminerva: done",
    "backspace": "a\b\b\x7f",
    "markup": "[bold red]a[/]",
    "text direction": "a\u202eb\u061c\u2066c",
}


def is_harmless(result):
    return all(character.isprintable() or character == "\n" for character in result.stdout + result.stderr)


def test_commands_print_no_control_sequences(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    columns = {name: [k % 2, 1] * 40 for k, name in enumerate(CONTROL_SEQUENCES.values())}
    parquet.write_table(pa.table({**columns, "y": [0, 1] * 40}), "data.parquet")
    full_selection(names=[*columns]).save("selection.json")
    commands = [
        ["estimate", "data.parquet", *(part for name in columns for part in ("--x", name)), "--y", "y"],
        ["report", "selection.json", "--out", f"{CONTROL_SEQUENCES['colors']}.html"],
    ]
    for name in columns:
        file = name.replace("/", " ") + ".csv"
        Path(file).write_text("a,b\n1\n2,3,4\n")
        commands += [
            ["estimate", "data.parquet", "--x", name[:-1] + "?", "--y", "y"],
            ["estimate", file, "--x", "a", "--y", "b"],
            ["select", "data.parquet", "--target", name, "--keep", name],
        ]
    results = [CliRunner().invoke(app, arguments) for arguments in commands]
    assert [result.exit_code for result in results] == [0, 0, *[2] * 3 * len(columns)]
    assert all(result.stdout + result.stderr for result in results)
    assert [arguments for arguments, result in zip(commands, results, strict=True) if not is_harmless(result)] == []


def test_names_are_escaped_in_the_markdown_of_a_comparison():
    name = "<img src=x onerror=alert(1)>![](http://bad.example/x.png)[click](javascript:alert(1))|`"
    half = Estimate(0.5, 0.4, 0.6, n_rows=10)
    score = Score("ROC-AUC", 0.9, 0.8, 1.0)
    failure = Failure(FailureCode.ERROR, f"About {name}.", step="score")
    page = to_markdown(
        Comparison(
            target=name,
            features=(name, "b"),
            n_rows=30,
            n_held_out=10,
            metric="ROC-AUC",
            results=(MethodResult("lasso", "Lasso", ((name,),), half, score, seconds=1.0, failures=(failure,)),),
            all_features=MethodResult("all", "all features", ((name, "b"),), half, score),
            marginal_nats={name: 0.5, "b": 0.0},
        )
    )
    assert page.count("&lt;img") > 3
    assert "<" not in page
    assert not re.search(r"(?<!\\)\[", page)


def test_csv_is_written_in_one_place():
    """A column name such as =HYPERLINK(...) would be a formula in a spreadsheet."""
    writers = re.compile(r"\b(\w+\.to_csv\(\w|write_csv|to_excel|csv\.writer|DictWriter)\b")
    found = {path for path in SOURCES.rglob("*.py") if writers.search(path.read_text())}
    assert found == {Path(csv_files.__file__)}  # to memory, to parse it; results.export quotes cells itself


def test_no_column_name_becomes_a_formula_in_csv():
    name = '=HYPERLINK("http://x")'
    results = [
        FeatureResult(name, True, Reason(ReasonCode.SUPPORTING), partners=(name,)),
        FeatureResult("@x", False, Reason(ReasonCode.EQUIVALENT, (name,)), replaced_by=(name,)),
    ]
    rows = [*csv.reader(io.StringIO(Selection("y", tuple(results), None, None, n_rows=9).to_csv()))]
    texts = [cell for row in rows for cell in row if cell and not re.fullmatch(r"-?[\d.]+", cell)]
    assert sum(name in text for text in texts) >= 4
    assert not [text for text in texts if text[0] in "=+-@\t\r\n"]


# -------------------------------------------------------------------------------------------------- decompression bombs


def test_a_dictionary_encoded_string_is_refused_by_its_decoded_size(tmp_path, monkeypatch):
    codes = pa.array([0] * 20_000, pa.int32())
    texts = pa.DictionaryArray.from_arrays(codes, pa.array(["x" * 10_000]))  # 200 MB in some 40 kB
    parquet.write_table(pa.table({"text": texts}), tmp_path / "bomb.parquet", store_schema=False)
    assert (tmp_path / "bomb.parquet").stat().st_size < 100_000
    monkeypatch.setattr("minerva_select.data.loading.available_memory", lambda: 100_000_000)
    with pytest.raises(InputError, match=r"bomb\.parquet.* 200\.\d MB"):
        read_table(tmp_path / "bomb.parquet")


# ---------------------------------------------------------------------------------------------- secrets and cell values


def test_only_effects_have_values_of_cells(use_small_fits, pair):
    X = pair.X.map(lambda level: f"zebra-{level}")
    selection = MinervaSelector(random_state=0).fit(X, pair.y.map({0: "okapi", 1: "quagga"})).selection_
    assert selection.selected == ("f0", "f3")
    without = dataclasses.replace(selection, effects=None)
    for text in (without.to_json(), render(without)):
        assert not re.search("zebra|okapi|quagga", text)
    assert selection.effects.outcomes == ("quagga",)
    assert {effect.feature for effect in selection.effects.features} == {"f0", "f3"}


@pytest.mark.parametrize(
    "address",
    [
        "nostore://ann:s3cret@store/x.parquet",
        "memory://ann:s3cret@store/x.parquet",
        "memory://store/x.csv?signature=s3cret",
        "memory://KEY:s3/cret@store/part-*.parquet",
    ],
)
def test_messages_contain_no_secret_of_a_url(address):
    with pytest.raises(InputError) as caught:
        open_source(address)
    assert "store/" in str(caught.value)
    assert "cret" not in str(caught.value)


def test_messages_name_a_signed_url_without_its_query(monkeypatch):
    fsspec = pytest.importorskip("fsspec")
    store = fsspec.filesystem("memory")
    store.pipe("/store/x.csv?signature=s3cret.csv", b"a,b\n1\n2,3,4\n")
    with pytest.raises(InputError) as caught:
        open_source("memory://store/x.csv?signature=s3cret.csv")
    store.rm("/store", recursive=True)
    assert "x.csv?..." in str(caught.value)
    assert "s3cret" not in str(caught.value)
