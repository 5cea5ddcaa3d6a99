import math
import threading
import time

import pytest
import torch

from minerva_select.errors import InputError
from minerva_select.runtime.device import (
    Deadline,
    drawn_by,
    find_device,
    quick_products,
    random_state,
    seeded,
    set_random_state,
    threads,
)

CPU = torch.device("cpu")


def draw(*generators):
    return [number for generator in generators for number in torch.rand(3, generator=generator).tolist()]


def test_draws_of_a_fit_neither_move_nor_set_those_of_torch():
    before = torch.get_rng_state()
    with seeded(1, CPU) as batches:
        draw(batches, drawn_by())
        assert torch.equal(torch.get_rng_state(), before)
    assert torch.equal(torch.get_rng_state(), before)


def test_outside_of_a_fit_networks_draw_what_torch_draws():
    def fail():
        with seeded(1, CPU):
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    assert drawn_by() is None


def test_same_seed_same_draws_whatever_is_drawn_outside_or_by_a_fit_within():
    def draws(seed, between=lambda: None):
        with seeded(seed, CPU) as batches:
            first = draw(batches, drawn_by())
            between()
            return first + draw(batches, drawn_by())

    expected = draws(7)
    with torch.random.fork_rng(devices=[]):
        assert draws(7, lambda: torch.rand(11)) == expected
    assert draws(7, lambda: draws(8)) == expected
    assert draws(8) != expected


def test_a_thread_beside_a_fit_is_in_no_fit():
    seen = []
    with seeded(1, CPU):
        beside = threading.Thread(target=lambda: seen.append(drawn_by()))
        beside.start()
        beside.join()
    assert seen == [None]


@pytest.mark.parametrize(
    "name",
    ["cpu", pytest.param("cuda", marks=pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU"))],
)
def test_draws_go_on_from_where_they_were(name):
    device = torch.device(name)
    with seeded(2, device) as generator:
        state = random_state(generator, device)

        def draws():
            on_device = torch.rand(3, device=device, generator=drawn_by(device)).tolist()
            return [draw(drawn_by()), draw(generator), on_device]

        first = draws()
        set_random_state(state, generator, device)
        assert draws() == first
    assert first[0] != first[2]


@pytest.fixture
def three_threads():
    """A machine with three threads, while the test lasts."""
    before = torch.get_num_threads()
    torch.set_num_threads(3)
    yield
    torch.set_num_threads(before)


@pytest.mark.usefixtures("three_threads")
@pytest.mark.parametrize(("at_most", "expected"), [(1, 1), (2, 2), (3, 3), (64, 3)])
def test_threads_are_limited_never_added_and_put_back(at_most, expected):
    with threads(at_most):
        assert torch.get_num_threads() == expected
    assert torch.get_num_threads() == 3


@pytest.mark.usefixtures("three_threads")
def test_threads_are_put_back_after_an_error_too():
    def fail():
        with threads(1):
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    assert torch.get_num_threads() == 3


def test_products_are_in_full_again_when_the_last_quick_one_is_done():
    before = torch.get_float32_matmul_precision()
    assert before == "highest"
    first, second = quick_products(), quick_products()
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
def test_unusable_devices_are_refused_in_one_sentence(name):
    with pytest.raises(
        InputError, match=r"^The device .* cannot be used here \(.*\); use 'auto' or 'cpu'\.$"
    ) as caught:
        find_device(name)
    assert repr(name) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_fork_of_a_process_that_has_used_a_gpu_is_refused_in_one_sentence(monkeypatch):
    monkeypatch.setattr(torch.cuda, "_is_in_bad_fork", lambda: True)
    with pytest.raises(InputError, match=r"^This process is a fork of one that has used a GPU, .* spawn do\.$"):
        find_device("cpu")


@pytest.fixture
def clock(monkeypatch):
    """A clock that stands still until told."""
    now = [100.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    return now


def test_a_deadline_passes_after_its_seconds_and_none_never_does(clock):
    limited, unlimited = Deadline(10.0), Deadline(None)
    clock[0] += 9.0
    assert not limited.passed
    clock[0] += 2.0
    assert limited.passed
    assert not unlimited.passed
    assert not unlimited.share(0.5).passed


def test_a_deadline_tells_whether_it_leaves_time_for_more(clock):
    limited = Deadline(10.0)
    clock[0] += 7.0
    assert limited.leaves(3.0)
    assert not limited.leaves(3.5)
    assert Deadline(None).leaves(1e9)


def test_a_share_is_taken_of_the_time_that_is_left(clock):
    deadline = Deadline(10.0)
    clock[0] += 4.0
    half = deadline.share(0.5)
    assert half.seconds == pytest.approx(3.0)
    clock[0] += 3.5
    assert half.passed
    assert not deadline.passed
    clock[0] += 10.0
    assert deadline.share(0.5).seconds == 0.0


def test_a_deadline_counts_from_when_the_time_began(clock):
    deadline = Deadline(10.0, start=clock[0] - 8.0)
    assert not deadline.passed
    clock[0] += 3.0
    assert deadline.passed


def test_a_share_lasts_so_many_seconds_at_least(clock):
    late = Deadline(10.0, start=clock[0] - 20.0).share(0.5, at_least=2.0)
    assert not late.passed
    clock[0] += 3.0
    assert late.passed


def test_a_wish_to_stop_ends_what_was_shared_out_and_leaves_a_grace_for_the_rest(clock):
    wish = []
    deadline = Deadline(None, stop=lambda: bool(wish), grace=4.0)
    learning = deadline.share(0.7)
    assert deadline.left == math.inf
    wish.append(True)
    assert learning.passed
    assert not deadline.passed
    vetting = deadline.share(0.5)
    assert vetting.left == pytest.approx(2.0)
    assert not vetting.passed
    clock[0] += 3.0
    assert vetting.passed
    assert not deadline.passed
    clock[0] += 2.0
    assert deadline.passed


def test_a_grace_adds_nothing_to_a_limit(clock):
    deadline = Deadline(2.0, stop=lambda: True, grace=4.0)
    assert deadline.left == pytest.approx(2.0)
    clock[0] += 3.0
    assert deadline.passed


def test_a_wish_to_stop_ends_the_time_of_all_shares():
    wish = []
    deadline = Deadline(None, stop=lambda: bool(wish))
    half = deadline.share(0.5)
    assert not deadline.passed
    wish.append(True)
    assert deadline.passed
    assert half.passed
