"""Claim: a site is complete or not there."""

from __future__ import annotations

import pytest


@pytest.fixture(scope="module")
def build(load):
    return load("build")


def test_a_missing_package_is_named_with_the_command_that_installs_it(build, monkeypatch):
    monkeypatch.setattr(build, "NEEDED", {"no_such_module": "no-such-package", "sys": "sys"})
    with pytest.raises(SystemExit, match=r"needs no-such-package; install: python -m pip install -e '\.\[docs\]'"):
        build.require_packages()


def test_a_failed_build_leaves_the_old_site(build, tmp_path, monkeypatch):
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "index.html").write_text("old")
    monkeypatch.setattr("sys.argv", ["build.py", "--out", str(tmp_path / "site")])
    monkeypatch.setattr(build, "require_packages", lambda: None)

    def fail(options, folder):
        raise SystemExit("broken")

    monkeypatch.setattr(build, "build", fail)
    with pytest.raises(SystemExit, match="broken"):
        build.main()
    assert (tmp_path / "site" / "index.html").read_text() == "old"


def test_a_finished_site_replaces_the_old_one(build, tmp_path):
    built, out = tmp_path / "built", tmp_path / "site"
    for folder, text in ((built, "new"), (out, "old")):
        folder.mkdir()
        (folder / "index.html").write_text(text)
    (out / "removed.html").write_text("old")
    build.replace(out, built)
    assert [path.name for path in out.iterdir()] == ["index.html"]
    assert (out / "index.html").read_text() == "new"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["built", "site"]


def test_times_of_the_examples_are_summed(build, tmp_path):
    record = tmp_path / "examples.xml"
    record.write_text(
        '<testsuite><testcase file="../a.py" time="1.5"></testcase>'
        '<testcase file="../b.py" time="2.0"></testcase></testsuite>'
    )
    assert build.running_times(record).splitlines()[-1].split() == ["3.5", "s", "2", "examples"]
