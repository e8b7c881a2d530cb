# The image of all services: `gouji serve SERVICE`, `gouji migrate`, `gouji door`. Envoy is no part of it: the door's
# container has Envoy's own image (deploy/helm), so that one can be mended without the other.
#
#   docker build --tag REGISTRY/gouji:0.1.0 --build-arg PYTHON=python:3.11-slim-bookworm@sha256:... .
#
# The same sources, base (by digest) and SOURCE_DATE_EPOCH give the same files.
ARG PYTHON=python:3.11-slim-bookworm

# What is compiled and packed: needs a compiler and Node, and leaves a wheel.
FROM ${PYTHON} AS build
ARG SOURCE_DATE_EPOCH=1767225600
ENV SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH} PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1
RUN apt-get update \
    && apt-get install --yes --no-install-recommends gcc libc6-dev \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /src
COPY deploy/image/build.lock deploy/image/
RUN python -m venv /build && /build/bin/pip install --require-hashes --no-deps -r deploy/image/build.lock
ENV PATH=/build/bin:$PATH
COPY web/package.json web/package-lock.json web/
COPY web/sdk/package.json web/sdk/
RUN cd web && npm ci --no-audit --no-fund
COPY . .
RUN cd web && npm run build
RUN pip wheel --no-build-isolation --no-deps --wheel-dir /dist .

# What runs: an environment without pip, compiled to bytecode that holds no times.
FROM ${PYTHON} AS environment
ENV PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1
COPY deploy/image/runtime.lock /tmp/
RUN python -m venv --without-pip /opt/gouji \
    && pip --python /opt/gouji install --no-compile --require-hashes --no-deps --only-binary :all: -r /tmp/runtime.lock
COPY --from=build /dist /dist
RUN pip --python /opt/gouji install --no-compile --no-deps /dist/*.whl \
    && python -m compileall -q --invalidation-mode unchecked-hash /opt/gouji/lib

FROM ${PYTHON}
LABEL org.opencontainers.image.title="gouji" org.opencontainers.image.licenses="Apache-2.0"
RUN useradd --uid 65532 --user-group --no-create-home --home-dir /nonexistent --shell /usr/sbin/nologin gouji
COPY --from=environment /opt/gouji /opt/gouji
ENV PATH=/opt/gouji/bin:$PATH PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 GOUJI_LOG_FORMAT=json
USER 65532:65532
EXPOSE 7100 7180 7190
ENTRYPOINT ["gouji"]
