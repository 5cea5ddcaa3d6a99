# MINERVA without a GPU. TORCH_INDEX_URL is the index of torch's CPU wheels (docs/install.md says where to find it):
#   docker build --build-arg TORCH_INDEX_URL=... --tag minerva .
#   docker run --rm --volume "$PWD":/data minerva select payments.csv --target is_fraud --out result/
FROM python:3.13-slim AS wheel
WORKDIR /source
COPY pyproject.toml README.md LICENSE ./
COPY release/metadata_hook.py release/
COPY experiments/paper/*.toml experiments/paper/
COPY src src
RUN python -m pip wheel --no-cache-dir --no-deps --wheel-dir /wheels .

FROM python:3.13-slim
# LightGBM needs the OpenMP library of the system.
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install --yes --no-install-recommends libgomp1 \
    && rm -rf /var/lib/apt/lists/*
ARG TORCH_INDEX_URL
COPY constraints.txt /tmp/
RUN test -n "$TORCH_INDEX_URL" || { echo "Set TORCH_INDEX_URL; docs/install.md says how." >&2; exit 1; } \
    && python -m pip install --no-cache-dir --constraint /tmp/constraints.txt --index-url "$TORCH_INDEX_URL" torch
RUN --mount=type=bind,from=wheel,source=/wheels,target=/wheels \
    python -m pip install --no-cache-dir --constraint /tmp/constraints.txt /wheels/*.whl
RUN useradd --uid 1000 --create-home minerva
USER 1000
WORKDIR /data
ENTRYPOINT ["minerva"]
CMD ["--help"]
