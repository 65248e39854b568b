#!/usr/bin/env bash
# Gathers the texts of the analyses that models or programs were asked for, for the upload that follows: writes `folder=` and
# `name=` to GITHUB_OUTPUT, or nothing where nobody was asked. What is asked offline can be made again at any time. Only plain
# files are taken: a link would have the upload follow it.
set -euo pipefail

cd "${GITHUB_WORKSPACE:-.}/${WORKING_DIRECTORY:-.}" 2>/dev/null || exit 0
root=$(git -c safe.directory='*' rev-parse --path-format=absolute --show-toplevel 2>/dev/null) || exit 0
analyses=$root/.assay/analyses
if [ -L "$root/.assay" ] || [ -L "$analyses" ] || [ ! -d "$analyses" ]; then
  exit 0
fi

folder=
cd "$analyses"
for each in ana-*; do
  if [ -L "$each" ] || [ ! -d "$each" ] || [ -L "$each/manifest.json" ] || [ ! -f "$each/manifest.json" ]; then
    continue
  fi
  if ! grep -q '"route": "\(openai\|command\):' "$each/manifest.json"; then
    continue
  fi
  folder=${folder:-$(mktemp -d "${RUNNER_TEMP:-${TMPDIR:-/tmp}}/assay-analyses-XXXXXXXX")}
  find "$each" -type f -print0 | tar --null --no-recursion -cf - -T - | tar -xf - -C "$folder"
done
if [ -z "$folder" ]; then
  exit 0
fi
echo "What the analysts were asked and said goes into the artifact ${folder##*/}."
{
  echo "folder=$folder"
  echo "name=${folder##*/}"
} >>"$GITHUB_OUTPUT"
