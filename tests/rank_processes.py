"""Run a task in several processes, joined as by torchrun; this process holds the store, as torchrun's agent does."""

import functools
import multiprocessing
import os
import time

import pytest
import torch
import torch.distributed as dist

from minerva_select.errors import MinervaError
from minerva_select.runtime.distributed import joined


def run_rank(task, rank, size, port, pipe):
    """Run one process; sends the result of its task, or how and after how long it ended."""
    torch.set_num_threads(1)
    os.environ |= {"RANK": str(rank), "WORLD_SIZE": str(size), "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port)}
    os.environ |= {"TORCHELASTIC_USE_AGENT_STORE": "True", "TORCHELASTIC_RESTART_COUNT": "0"}
    start = time.monotonic()
    try:
        with joined("cpu", timeout=120) as ranks:
            start = time.monotonic()
            pipe.send(task(ranks))
    except Exception as error:
        is_reported = not (isinstance(error, MinervaError) and error.reported_elsewhere)
        pipe.send((type(error).__name__, str(error), is_reported, time.monotonic() - start))


@functools.cache
def forked():
    """Processes from a server that loads torch once."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["pytest", "minerva_select.solvers.paper", "minerva_select.solvers.vetting"])
    return context


def run_ranks(task, size):
    """Run a task in several processes and return what each sent; None for one that was killed."""
    try:
        store = dist.TCPStore("127.0.0.1", 0, is_master=True, wait_for_workers=False)
    except RuntimeError as error:
        pytest.skip(f"needs sockets ({error})")
    pipes = [forked().Pipe(duplex=False) for _ in range(size)]
    processes = [
        forked().Process(target=run_rank, args=(task, rank, size, store.port, pipe), daemon=True)
        for rank, (_, pipe) in enumerate(pipes)
    ]
    for process, (_, sender) in zip(processes, pipes, strict=True):
        process.start()
        sender.close()
    try:
        return [_receive(receiver) for receiver, _ in pipes]
    finally:
        for process in processes:
            process.join(timeout=5)
            process.kill()
            process.join()
            process.close()


def _receive(receiver):
    with receiver:
        if not receiver.poll(120):
            return "still waiting"
        try:
            return receiver.recv()
        except EOFError:
            return None
