from concurrent.futures import ThreadPoolExecutor

import pytest
import torch
from threadpoolctl import threadpool_info, threadpool_limits

from minerva_select.errors import InputError
from minerva_select.runtime.device import allow_tf32, find_device, limit_threads

CPU = torch.device("cpu")


@pytest.fixture
def three_threads():
    """Set torch to three threads during the test."""
    before = torch.get_num_threads()
    torch.set_num_threads(3)
    yield
    torch.set_num_threads(before)


@pytest.mark.usefixtures("three_threads")
@pytest.mark.parametrize(("max_threads", "expected"), [(1, 1), (2, 2), (3, 3), (64, 3)])
def test_threads_are_limited_and_restored(max_threads, expected):
    with limit_threads(max_threads):
        assert torch.get_num_threads() == expected
    assert torch.get_num_threads() == 3


@pytest.mark.usefixtures("three_threads")
def test_threads_are_restored_after_an_error():
    def fail():
        with limit_threads(1):
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    assert torch.get_num_threads() == 3


def test_products_of_numpy_use_one_thread_within_a_block():
    with threadpool_limits(2, user_api="blas"):
        with limit_threads():
            assert _blas_threads() == {1}
        assert _blas_threads() == {2}


def test_a_block_in_another_thread_leaves_the_products_of_numpy_as_they_were():
    with threadpool_limits(2, user_api="blas"), ThreadPoolExecutor(1) as pool:
        first, second = limit_threads(), limit_threads()
        first.__enter__()
        pool.submit(second.__enter__).result()
        assert _blas_threads() == {1}
        first.__exit__(None, None, None)
        pool.submit(second.__exit__, None, None, None).result()
        assert _blas_threads() == {2}


def _blas_threads() -> set[int]:
    return {library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"}


def test_the_last_block_restores_full_precision():
    before = torch.get_float32_matmul_precision()
    assert before == "highest"
    first, second = allow_tf32(), allow_tf32()
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)
    assert torch.get_float32_matmul_precision() == "high"
    second.__exit__(None, None, None)
    assert torch.get_float32_matmul_precision() == before


def test_auto_finds_a_device_that_works():
    assert float(torch.ones(2, device=find_device("auto")).sum()) == 2.0
    assert find_device("cpu") == CPU


@pytest.mark.parametrize("name", ["gpu", "cuda:99", "meta", ""])
def test_unusable_devices_are_refused(name):
    with pytest.raises(InputError, match=f"device {name!r}") as caught:
        find_device(name)
    assert "\n" not in str(caught.value)


def test_a_fork_of_a_process_that_has_used_a_gpu_is_refused(monkeypatch):
    monkeypatch.setattr(torch.cuda, "_is_in_bad_fork", lambda: True)
    with pytest.raises(InputError, match="fork"):
        find_device("cpu")
