"""
Can it read a million rows from Parquet?
========================================

A table that does not fit in memory is encoded once, in blocks, and read from files afterwards. Here the allowed memory
is set to 200 MB, so that a table that would fit is streamed as well.
"""

# %%
# A million payments are written block by block, so that they are never in memory together.

# sphinx_gallery_thumbnail_path = "pictures/card-fraud-path.png"
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
from pyarrow import parquet

from minerva_select import MinervaSelector, open_source

folder = tempfile.TemporaryDirectory()
path = Path(folder.name) / "payments.parquet"
rng = np.random.default_rng(0)
writer = None
for _ in range(10):
    n = 100_000
    columns = {f"noise_{k}": rng.standard_normal(n).astype(np.float32) for k in range(6)}
    country = rng.integers(0, 12, n)
    abroad = rng.random(n) < 0.2
    columns |= {"card_country": country, "ip_country": np.where(abroad, rng.integers(0, 12, n), country)}
    columns["amount"] = rng.lognormal(3, 1, n).astype(np.float32)
    risk = 0.005 + 0.03 * (columns["card_country"] != columns["ip_country"]) * (columns["amount"] > 40)
    table = pa.table({**columns, "is_fraud": rng.random(n) < risk})
    writer = writer or parquet.ParquetWriter(path, table.schema)
    writer.write_table(table)
writer.close()
print(f"{path.stat().st_size / 1e6:.0f} MB")

# %%
# :func:`minerva_select.open_source` reads nothing yet but the schema.

source = open_source(path)
print(f"{source.n_rows:,} rows,", ", ".join(source.names))
X = source.select([name for name in source.names if name != "is_fraud"])
y = source.select(["is_fraud"]).read()

# %%
# ``max_memory`` is what the fit may use in addition to the libraries; the default is half of the free memory.

start = time.perf_counter()
selector = MinervaSelector(max_memory="200MB", random_state=0).fit(X, y)
print(f"{time.perf_counter() - start:.0f} s on one core")
print(selector.selection_)

# %%
# The two countries matter only together, with the amount:

selector.selection_.plot("pairs")

# %%
# The command line does the same with a path: ``minerva select payments.parquet --target is_fraud --memory 200MB``.

folder.cleanup()
