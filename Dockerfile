# The container action. GitHub builds it at the start of a job; `make image` builds it here.
#
# BASE may be any image, Debian or one made from it, that has python3 (3.11 or newer) with its venv module; git is added
# where it is missing. Fix it by digest where builds must not drift: --build-arg BASE=python:3.13-slim-trixie@sha256:…
# For a benchmark's own world, give an image that has it as BASE, or name Debian packages in EXTRA_PACKAGES.
ARG BASE=python:3.13-slim-trixie

FROM ${BASE} AS build
RUN useradd --system --create-home --home-dir /build build \
  && install --directory --owner=build --group=build /opt/assay
# what runs from here on in this stage is the code of packages, which need not be root
USER build
WORKDIR /build/source
COPY --chown=build:build pyproject.toml README.md LICENSE ./
COPY --chown=build:build templates templates
COPY --chown=build:build src src
# -I: a PYTHONPATH of the job, which comes in with its variables, must not bring foreign modules into a process with a token
RUN python3 -m venv /opt/assay \
  && /opt/assay/bin/python -m pip --disable-pip-version-check --no-input install --no-cache-dir --quiet '.[analysis,gpu]' \
  && sed -i '1s|^\(#!/opt/assay/bin/python[0-9.]*\)$|\1 -I|' /opt/assay/bin/assay \
  && head -n 1 /opt/assay/bin/assay | grep -q -e ' -I$'

FROM ${BASE}
ARG EXTRA_PACKAGES=""
RUN set -eu; \
  packages="$EXTRA_PACKAGES"; \
  command -v git >/dev/null || packages="git $packages"; \
  [ -e /etc/ssl/certs/ca-certificates.crt ] || packages="ca-certificates $packages"; \
  if [ -n "$packages" ]; then \
    apt-get update; \
    apt-get install --yes --no-install-recommends $packages; \
    rm -rf /var/lib/apt/lists/*; \
  fi
# the account of benchmarks: it owns nothing, and cannot look into the process that holds the token
RUN useradd --system --no-create-home --home-dir /nonexistent --shell /usr/sbin/nologin assay
COPY --from=build --chown=root:root /opt/assay /opt/assay
RUN ln -s /opt/assay/bin/assay /usr/local/bin/assay

USER assay
RUN ["/opt/assay/bin/assay", "--version"]
# GitHub wants root here: the workspace belongs to whoever runs the runner. What we make in it is given back to them.
USER root

# where the Docker of a GPU machine has nvidia as its default runtime, these are what lets the GPUs in
ENV NVIDIA_VISIBLE_DEVICES=all \
  NVIDIA_DRIVER_CAPABILITIES=compute,utility

LABEL org.opencontainers.image.title="Assay" \
  org.opencontainers.image.description="Decides on evidence whether a change made a benchmark better" \
  org.opencontainers.image.licenses="MIT"

ENTRYPOINT ["/opt/assay/bin/assay", "action"]
