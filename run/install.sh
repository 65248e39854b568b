#!/usr/bin/env bash
# Makes the command for the composite action and writes `command=<path>` to GITHUB_OUTPUT.
# ASSAY_PATH names one that is there already. Otherwise Assay is installed from this checkout of the action into a new
# environment under RUNNER_TEMP, which neither the job's Python nor the benchmark sees. Of the runner it needs one of:
# uv; Python 3.11 or newer with venv; any Python 3 with pip, which then fetches uv.
set -euo pipefail

source=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)

fail() {  # message, what to do next
  echo "::error title=Assay::$1 → $2"
  exit 2
}

finish() {  # the command, proved to start
  "$1" --version || fail "$1 does not start." "Look at the lines above; a command of your own is named by the input assay-path."
  echo "command=$1" >>"$GITHUB_OUTPUT"
  exit 0
}

modern() {  # a name on PATH may be a shim without an interpreter behind it, so each candidate is run
  "$1" -I -c 'import sys, ensurepip, venv; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1
}

interpreters() {  # those on PATH, then those that GitHub's own machines keep aside
  local name
  for name in python3.13 python3.12 python3.11 python3 python; do
    command -v "$name" || true
  done
  printf '%s\n' "${RUNNER_TOOL_CACHE:-/nonexistent}"/Python/3.1[1-9].*/*/bin/python3
}

modern_python() {
  local candidate
  while IFS= read -r candidate; do
    if modern "$candidate"; then
      echo "$candidate"
      return
    fi
  done < <(interpreters)
  return 1
}

fetch_uv() {  # uv from the package index, by any Python 3 that has pip
  python3 -m pip --disable-pip-version-check --no-input install --quiet --target "$folder/uv" uv >&2 && echo "$folder/uv/bin/uv"
}

case "${RUNNER_OS:-Linux}" in
  Linux | macOS) ;;
  *) fail "This action does not run on ${RUNNER_OS}." "Use a runner with Linux or macOS." ;;
esac

if [ -n "${ASSAY_PATH:-}" ]; then
  case "$ASSAY_PATH" in
    /*) ;;
    *) fail "The input assay-path is not an absolute path: $ASSAY_PATH." "Name the file in full, as /opt/assay/bin/assay." ;;
  esac
  if [ ! -f "$ASSAY_PATH" ] || [ ! -x "$ASSAY_PATH" ]; then
    fail "There is no command at assay-path, $ASSAY_PATH." "Name the file of an installed assay."
  fi
  finish "$ASSAY_PATH"
fi

# What a job sets for its own Python must not lead ours astray; where its packages come from holds for ours too.
unset PYTHONPATH PYTHONHOME VIRTUAL_ENV CONDA_PREFIX PIP_USER PIP_TARGET PIP_PREFIX PIP_REQUIRE_VIRTUALENV PIP_CONSTRAINT \
  UV_SYSTEM_PYTHON UV_PROJECT_ENVIRONMENT UV_PYTHON UV_CONSTRAINT UV_OVERRIDE

extras=()  # packages that few jobs need: one asks models, one NVIDIA's driver
[ "${ASSAY_FUSION:-}" != config ] || extras+=(analysis)
[ ! -e /proc/driver/nvidia ] || extras+=(gpu)
[ "${#extras[@]}" -eq 0 ] || source="$source[$(IFS=,; echo "${extras[*]}")]"

folder=$(mktemp -d "${RUNNER_TEMP:-${TMPDIR:-/tmp}}/assay-XXXXXXXX")
cd "$folder"  # out of the workspace, whose settings for uv and pip are the pull request's
venv=$folder/venv
uv=$(command -v uv || true)
if [ -z "$uv" ] && ! python=$(modern_python); then
  uv=$(fetch_uv) || fail "There is neither uv nor Python 3.11 or newer with venv, and uv could not be fetched." \
    "Install one of them on the runner, add actions/setup-python before this step, or name an installed command in assay-path."
fi

if [ -n "$uv" ]; then
  "$uv" venv --quiet --no-project --python '>=3.11' "$venv"
  "$uv" pip install --quiet --python "$venv/bin/python" "$source"
else
  "$python" -m venv "$venv"
  "$venv/bin/python" -m pip --disable-pip-version-check --no-input install --quiet "$source"
fi

# -I keeps the job's PYTHONPATH out of a process that holds a token; this form works in folders with blanks in their name
cat >"$folder/assay" <<'LAUNCHER'
#!/bin/sh
exec "${0%/*}/venv/bin/python" -I -m assay "$@"
LAUNCHER
chmod 755 "$folder/assay"
finish "$folder/assay"
