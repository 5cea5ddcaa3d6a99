"""Measure the cost of the screen of all pairs, with columns of 5 levels and the equality of columns 3 and 8 as target.

python experiments/studies/screen.py [--rows 50000] [--columns 300 1000] [--device auto]
"""

import argparse
import time

import torch

from minerva_select.mi.pairwise_mi import count_information
from minerva_select.runtime.device import find_device


def measure(n_columns, n_rows, device):
    codes = torch.randint(0, 5, (n_rows, n_columns), generator=torch.Generator().manual_seed(0), dtype=torch.uint8)
    classes = (codes[:, 3] == codes[:, 8]).long().to(device)
    codes = codes.to(device)
    count_information(codes[:, :100], classes, n_pairs=8)  # the first product on a GPU loads its library
    start = time.perf_counter()
    found = count_information(codes, classes, n_pairs=8)
    seconds = time.perf_counter() - start
    memory = f"{torch.cuda.max_memory_allocated() / 2**30:.1f} GiB" if device.type == "cuda" else "-"
    first, second = found.pair_z[:2].tolist()
    n_pairs = n_columns * (n_columns - 1) // 2
    print(
        f"| {n_columns:,} | {n_pairs:,} | {seconds:.2f} | {memory} | {found.pairs[0].tolist()} | {first:.0f} "
        f"| {second:.1f} |",
        flush=True,
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=50_000)
    parser.add_argument("--columns", type=int, nargs="+", default=[300, 1000])
    parser.add_argument("--device", default="auto")
    options = parser.parse_args()
    device = find_device(options.device)
    print(f"{options.rows:,} rows, {device}, torch {torch.__version__}, {torch.get_num_threads()} threads\n")
    print("| columns | pairs | s | memory | best pair | its z | z of the next |")
    print("|---|---|---|---|---|---|---|")
    for n_columns in options.columns:
        measure(n_columns, options.rows, device)


if __name__ == "__main__":
    main()
