import threading

import pytest
import torch

from minerva_select.runtime.rng import get_rng_state, network_generator, seeded_rng, set_rng_state

CPU = torch.device("cpu")


def draw(*generators):
    return [number for generator in generators for number in torch.rand(3, generator=generator).tolist()]


def test_a_fit_leaves_the_global_generator_unchanged():
    before = torch.get_rng_state()
    with seeded_rng(1, CPU) as batches:
        draw(batches, network_generator())
        assert torch.equal(torch.get_rng_state(), before)
    assert torch.equal(torch.get_rng_state(), before)


def test_outside_of_a_fit_networks_use_the_global_generator():
    def fail():
        with seeded_rng(1, CPU):
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    assert network_generator() is None


def test_draws_depend_on_the_seed_only():
    def draws(seed, between=lambda: None):
        with seeded_rng(seed, CPU) as batches:
            first = draw(batches, network_generator())
            between()
            return first + draw(batches, network_generator())

    expected = draws(7)
    with torch.random.fork_rng(devices=[]):
        assert draws(7, lambda: torch.rand(11)) == expected
    assert draws(7, lambda: draws(8)) == expected
    assert draws(8) != expected


def test_another_thread_does_not_see_the_generators_of_a_fit():
    seen = []
    with seeded_rng(1, CPU):
        other = threading.Thread(target=lambda: seen.append(network_generator()))
        other.start()
        other.join()
    assert seen == [None]


@pytest.mark.parametrize(
    "name",
    ["cpu", pytest.param("cuda", marks=pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU"))],
)
def test_draws_repeat_after_the_state_is_restored(name):
    device = torch.device(name)
    with seeded_rng(2, device) as generator:
        state = get_rng_state(generator, device)

        def draws():
            on_device = torch.rand(3, device=device, generator=network_generator(device)).tolist()
            return [draw(network_generator()), draw(generator), on_device]

        first = draws()
        set_rng_state(state, generator, device)
        assert draws() == first
    assert first[0] != first[2]
