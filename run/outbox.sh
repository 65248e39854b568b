#!/usr/bin/env bash
# Gathers what could not be pushed to the data branch, for the upload that follows: writes `folder=` and `name=` to
# GITHUB_OUTPUT, or nothing where nothing waits. Only plain files are taken: a link would have the upload follow it.
set -euo pipefail

cd "${GITHUB_WORKSPACE:-.}/${WORKING_DIRECTORY:-.}" 2>/dev/null || exit 0
common=$(git -c safe.directory='*' rev-parse --path-format=absolute --git-common-dir 2>/dev/null) || exit 0
outbox=$common/assay/outbox
if [ -L "$common/assay" ] || [ -L "$outbox" ] || [ ! -d "$outbox" ]; then
  exit 0
fi
if [ -z "$(find "$outbox" -type f -print -quit)" ]; then
  exit 0
fi

folder=$(mktemp -d "${RUNNER_TEMP:-${TMPDIR:-/tmp}}/assay-outbox-XXXXXXXX")
(cd "$outbox" && find . -type f -print0 | tar --null --no-recursion -cf - -T -) | tar -xf - -C "$folder"
echo "Some results could not be pushed to the data branch; they go into the artifact ${folder##*/}."
{
  echo "folder=$folder"
  echo "name=${folder##*/}"
} >>"$GITHUB_OUTPUT"
