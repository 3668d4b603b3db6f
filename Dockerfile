# Two images of one installation: `--target gateway` serves, `--target harness` (the default) judges an adapter in CI.
# Everything installed is of requirements.lock, by its hashes. docs/ci.md shows both.
# The digest is that of the index for all platforms; another Python: --build-arg PYTHON=3.13-slim.
ARG PYTHON=3.12-slim@sha256:78387bc3881b8273120a12ebe6c1ab22b018ccc2c9adf565ae1ac9b536e184ea

FROM python:${PYTHON} AS build
WORKDIR /source
COPY requirements.lock pyproject.toml hatch_build.py README.md LICENSE ./
RUN python -m venv /opt/bridgecheck \
    && /opt/bridgecheck/bin/pip install --no-cache-dir --require-hashes -r requirements.lock
COPY harness harness
COPY reference_impl reference_impl
COPY scenarios scenarios
COPY cassettes cassettes
COPY docs/protocol.schema.json docs/protocol.schema.json
RUN /opt/bridgecheck/bin/pip install --no-cache-dir --no-deps --no-build-isolation .

FROM python:${PYTHON} AS base
COPY --from=build /opt/bridgecheck /opt/bridgecheck
ENV PATH=/opt/bridgecheck/bin:$PATH PYTHONUNBUFFERED=1
RUN useradd --create-home bridgecheck
USER bridgecheck

FROM base AS gateway
EXPOSE 3999
# Beyond the container only with a key that clients send: GATEWAY_KEY, and UPSTREAM_KEY for the provider.
ENTRYPOINT ["bridgecheck-reference", "serve", "--listen", "0.0.0.0:3999", "--client-key-env", "GATEWAY_KEY", "--key-env", "UPSTREAM_KEY"]

FROM base AS harness
WORKDIR /work
ENTRYPOINT ["bridgecheck"]
CMD ["run", "--stale", "fail"]
