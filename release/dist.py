"""Build the sdist and, from it, the wheel; check both; put them into dist/.

python release/dist.py [--out DIR] [--release TAG]

With --release, the version must be that of the tag and the public address must be set, as a release needs them.
"""

from __future__ import annotations

import argparse
import importlib.util
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
import zipfile
from email.message import Message
from email.parser import Parser
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = "minerva_select"
FROM_CLONE = "pip install ."  # in the description of a package, there is no clone
CONFIGURATIONS = "experiments/paper"  # copied into the wheel for `minerva reproduce`
SETTING = "repository in [tool.hatch.metadata.hooks.custom] of pyproject.toml"


def main() -> None:
    """Build in a temporary folder, so that a failure leaves nothing half-built behind."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=ROOT / "dist", help="output folder; its content is replaced")
    parser.add_argument("--release", metavar="TAG", help="check also what a release under this tag needs")
    options = parser.parse_args()
    require_tools()
    with tempfile.TemporaryDirectory() as folder:
        run("build", "--no-isolation", "--outdir", folder, str(ROOT))
        run("twine", "check", "--strict", *(str(path) for path in sorted(Path(folder).iterdir())))
        (sdist,), (wheel,) = Path(folder).glob("*.tar.gz"), Path(folder).glob("*.whl")
        faults = [
            *check_sdist(sdist),
            *check_wheel(wheel),
            *(check_release(options.release) if options.release else ()),
        ]
        if faults:
            sys.exit("\n".join(["The packages are not complete:", *faults]))
        shutil.rmtree(options.out, ignore_errors=True)
        shutil.copytree(folder, options.out)
    for path in sorted(options.out.iterdir()):
        print(f"{path}: {path.stat().st_size / 1e6:.1f} MB")


def require_tools() -> None:
    """End with the install command if a tool is missing."""
    missing = [name for name in ("build", "twine", "hatchling") if importlib.util.find_spec(name) is None]
    if missing:
        sys.exit(f"Building packages needs {', '.join(missing)}; install: python -m pip install -e '.[release]'")


def run(module: str, *arguments: str) -> None:
    """Run a module of this environment; end with its output if it fails."""
    result = subprocess.run(
        [sys.executable, "-m", module, *arguments], capture_output=True, text=True, check=False, cwd=ROOT
    )
    if result.returncode:
        sys.exit(f"{module} failed:\n{result.stdout}{result.stderr}")


def check_sdist(path: Path) -> list[str]:
    """Faults of the sdist: links of README.md without their file, files that a clone does not have."""
    with tarfile.open(path) as archive:
        names = {str(PurePosixPath(*PurePosixPath(name).parts[1:])) for name in archive.getnames()}
    folders = {str(parent) for name in names for parent in PurePosixPath(name).parents}
    links = {target.partition("#")[0].rstrip("/") for target in readme_links()}
    faults = [f"sdist: README.md names {link}, which is missing" for link in sorted(links - names - folders)]
    needed = {"Makefile", "constraints.txt", "pyproject.toml", "LICENSE", "CHANGELOG.md", "tests/conftest.py"}
    faults += [f"sdist: {name} is missing" for name in sorted(needed - names)]
    return faults + [f"sdist: {name} is not part of a clone" for name in sorted(names - clone_files() - {"PKG-INFO"})]


def readme_links() -> list[str]:
    """Relative links and pictures of README.md."""
    from metadata_hook import FENCE, TARGET  # noqa: PLC0415 - needs hatchling

    text = FENCE.sub("", (ROOT / "README.md").read_text(encoding="utf-8"))
    return TARGET.findall(text)


def clone_files() -> set[str]:
    """Tracked files, and new ones that git does not ignore; without git, all files."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        capture_output=True, text=True, check=False, cwd=ROOT,
    )  # fmt: skip
    if listed.returncode == 0:
        return set(listed.stdout.splitlines())
    return {path.relative_to(ROOT).as_posix() for path in ROOT.rglob("*") if path.is_file()}


def check_wheel(path: Path) -> list[str]:
    """Faults of the wheel: files of the package that are missing, files of others, metadata that break elsewhere."""
    with zipfile.ZipFile(path) as archive:
        names = {name for name in archive.namelist() if not name.endswith("/")}
        metadata = Parser().parsestr(archive.read(_named(names, ".dist-info/METADATA")).decode())
        entry_points = archive.read(_named(names, ".dist-info/entry_points.txt")).decode()
    info = {name for name in names if ".dist-info/" in name}
    expected = package_files()
    return [
        *(f"wheel: {name} is missing" for name in sorted(expected - names)),
        *(f"wheel: {name} does not belong there" for name in sorted(names - expected - info)),
        *check_metadata(metadata),
        *([] if any("licenses/LICENSE" in name for name in info) else ["wheel: the license is missing"]),
        *([] if f"minerva = {PACKAGE}.__main__:main" in entry_points else ["wheel: the command minerva is missing"]),
    ]


def package_files() -> set[str]:
    """Files that the wheel must contain: all of the package, and the configurations of the paper's experiments."""
    tracked = clone_files()
    ours = {name.removeprefix("src/") for name in tracked if name.startswith(f"src/{PACKAGE}/")}
    paper = {
        PurePosixPath(name).name for name in tracked if PurePosixPath(name).parent == PurePosixPath(CONFIGURATIONS)
    }
    return ours | {f"{PACKAGE}/evaluation/paper/configurations/{name}" for name in paper if name.endswith(".toml")}


def check_metadata(metadata: Message) -> list[str]:
    """Faults of the description and the fields that package indexes show."""
    from metadata_hook import FENCE, TARGET  # noqa: PLC0415 - needs hatchling

    description = FENCE.sub("", str(metadata.get_payload()))
    faults = [f"wheel: the description has the relative link {link}" for link in TARGET.findall(description)]
    for field in ("Summary", "License-Expression", "Requires-Python", "Keywords", "Classifier"):
        faults += [] if metadata.get(field) else [f"wheel: the metadata have no {field}"]
    return faults


def check_release(tag: str) -> list[str]:
    """Faults that only matter when the packages are published."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    address = settings["tool"]["hatch"]["metadata"]["hooks"]["custom"]["repository"]
    version = (ROOT / "src" / PACKAGE / "version.py").read_text(encoding="utf-8").split('"')[-2]
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    return [
        *([] if address else [f"release: the public address is not set; set {SETTING}"]),
        *(
            ["release: README.md installs from a clone; write pip install minerva-select"]
            if FROM_CLONE in readme
            else []
        ),
        *([] if tag == f"v{version}" else [f"release: the tag {tag} is not v{version}, the version in version.py"]),
        *([] if f"\n## {version} (" in changes else [f"release: CHANGELOG.md has no section for {version}"]),
        *(["release: CHANGELOG.md has no date for this version"] if f"## {version} (unreleased)" in changes else []),
    ]


def _named(names: set[str], ending: str) -> str:
    return next(name for name in names if name.endswith(ending))


if __name__ == "__main__":
    main()
