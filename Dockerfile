# One image for every role, sized for CPUs. `docker compose up` builds and runs it; see compose.yaml.
ARG BASE_IMAGE=debian:bookworm-slim
FROM ${BASE_IMAGE}

RUN apt-get update -qq \
    && apt-get install -y -qq --no-install-recommends ca-certificates python3 python3-venv \
    && rm -rf /var/lib/apt/lists/*

WORKDIR /opt/trajlog
ENV PATH=/opt/trajlog/.venv/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    TRAJLOG_CACHE=/opt/trajlog/cache \
    UV_PYTHON_DOWNLOADS=never

# The locked versions, in a layer that source changes leave alone. Left out: what torch loads on a GPU only
# (the other nvidia-* packages are linked by its library, which does not load without them).
COPY pyproject.toml requirements.lock ./
RUN python3 -m venv .venv \
    && pip install -q "uv>=0.13.9" \
    && printf '%s\n' triton nvidia-cusolver nvidia-cuda-cccl nvidia-nvtx cuda-bindings cuda-pathfinder > /tmp/excludes \
    && uv pip install -q --no-cache --compile-bytecode \
        --constraints requirements.lock --excludes /tmp/excludes --requirements pyproject.toml --extra demo

COPY README.md LICENSE ./
COPY trajlog trajlog
RUN uv pip install -q --no-cache --compile-bytecode --no-deps .

# The demo's model is part of the image: containers need no network at run time.
RUN trajlog models fetch smollm2

COPY examples/demo_tasks examples/demo_tasks
RUN useradd --uid 1000 --create-home trajlog && mkdir /runs && chown trajlog /runs
USER trajlog
VOLUME /runs
WORKDIR /runs
ENTRYPOINT ["trajlog"]
CMD ["--help"]
