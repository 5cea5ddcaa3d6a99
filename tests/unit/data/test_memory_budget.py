import pytest

from minerva_select.config import ROW_SAMPLE
from minerva_select.data.memory_budget import (
    MemoryBudget,
    available_memory,
    estimate_encoding_seconds,
    format_bytes,
    parse_memory,
)
from minerva_select.errors import InputError

GIB = 1 << 30


@pytest.mark.parametrize(
    ("size", "expected"),
    [
        ("500MB", 500_000_000),
        ("500 mb", 500_000_000),
        ("2G", 2_000_000_000),
        ("1.5GiB", 3 * GIB // 2),
        (".5T", 500_000_000_000),
        ("2048k", 2_048_000),
        ("4Mi", 4 << 20),
        ("3000000", 3_000_000),
        (3_000_000, 3_000_000),
    ],
)
def test_memory_is_parsed_with_or_without_a_unit(size, expected):
    assert parse_memory(size) == expected


@pytest.mark.parametrize("size", ["", "lots", "5 apples", "-2G", "1,5G", "2GG", "G", "nan", True, -5_000_000])
def test_invalid_memory_is_refused(size):
    with pytest.raises(InputError, match="500MB or 2GiB, got"):
        parse_memory(size)


@pytest.mark.parametrize("size", ["0", "500", 12, "0G"])
def test_memory_below_one_megabyte_is_refused(size):
    with pytest.raises(InputError, match="at least 1 MiB, got"):
        parse_memory(size)


def test_bytes_are_formatted_in_the_largest_unit():
    amounts = {7: "7 bytes", 1e3: "1.0 kB", 25.04e6: "25.0 MB", 3e9: "3.0 GB", 4.26e12: "4.3 TB"}
    assert {n: format_bytes(n) for n in amounts} == amounts


def machine(root, *, available=8 * GIB, group="0::/job/task", files=()):
    for name, text in (("proc/meminfo", f"MemFree: 1 kB\nMemAvailable:   {available >> 10} kB\n"), *files):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(f"{text}\n")
    (root / "proc/self").mkdir()
    (root / "proc/self/cgroup").write_text(f"{group}\n")
    return root


def test_without_a_limit_the_machine_decides(tmp_path):
    files = [("sys/fs/cgroup/job/task/memory.max", "max"), ("sys/fs/cgroup/job/task/memory.current", "5")]
    assert available_memory(machine(tmp_path, files=files)) == 8 * GIB


@pytest.mark.parametrize("group", ["job/task", "job"])
def test_a_container_limit_counts_minus_used_memory(tmp_path, group):
    folder = f"sys/fs/cgroup/{group}"
    files = [
        (f"{folder}/memory.max", f"{3 * GIB}"),
        (f"{folder}/memory.current", f"{2 * GIB}"),
        (f"{folder}/memory.stat", f"anon 7\ninactive_file {GIB // 2}"),  # half a GiB of cached files
    ]
    assert available_memory(machine(tmp_path, files=files)) == 3 * GIB // 2


def test_a_limit_of_cgroup_version_1_counts(tmp_path):
    files = [
        ("sys/fs/cgroup/memory/job/memory.limit_in_bytes", f"{3 * GIB}"),
        ("sys/fs/cgroup/memory/job/memory.usage_in_bytes", f"{GIB}"),
    ]
    group = "7:cpu,cpuacct:/job\n4:memory:/job"
    assert available_memory(machine(tmp_path, group=group, files=files)) == 2 * GIB


def test_the_machine_counts_if_it_has_less_than_the_container(tmp_path):
    files = [("sys/fs/cgroup/job/memory.max", f"{64 * GIB}"), ("sys/fs/cgroup/job/memory.current", "0")]
    assert available_memory(machine(tmp_path, group="0::/job", files=files)) == 8 * GIB


def test_a_container_over_its_limit_has_no_memory_left(tmp_path):
    files = [("sys/fs/cgroup/memory.max", "5"), ("sys/fs/cgroup/memory.current", "9")]
    assert available_memory(machine(tmp_path, group="0::/", files=files)) == 0


def test_an_unknown_machine_has_some_memory(tmp_path):
    assert available_memory(tmp_path) > 0


def test_block_and_sample_sizes_grow_with_memory():
    budgets = [MemoryBudget(int(1.7**k * 1e6)) for k in range(25)]
    for n_columns in (1, 30, 214, 10_000):
        for amounts in ([b.block_rows(n_columns) for b in budgets], [b.sample_rows(n_columns) for b in budgets]):
            assert amounts == sorted(amounts)
            assert amounts[0] >= 1000
    assert budgets[-1].sample_rows(30) == ROW_SAMPLE.max_rows


def test_wide_tables_are_read_in_shorter_blocks():
    budget = MemoryBudget(500_000_000)
    rows = [budget.block_rows(n_columns) for n_columns in (1, 30, 214, 1000, 3000)]
    assert rows == sorted(rows, reverse=True)
    # 40 bytes per cell, a quarter of the budget
    assert budget.block_rows(1000) * 1000 * 40 <= 500_000_000 / 4


def test_a_table_fits_up_to_a_number_of_cells():
    budget = MemoryBudget(2 * GIB)
    assert budget.fits(100_000, 214, 50_000_000)
    assert not budget.fits(3_000_000, 214, 1_600_000_000)
    assert not budget.fits(10, 10, 3 * GIB)
    assert 0 < MemoryBudget.from_max_memory(None).n_bytes < available_memory()


def test_encoding_time_grows_with_cells():
    assert estimate_encoding_seconds(2000, 30) == pytest.approx(2 * estimate_encoding_seconds(1000, 30))
    assert estimate_encoding_seconds(1000, 60) == pytest.approx(2 * estimate_encoding_seconds(1000, 30))
