# Makes the clone of a job from its bundle, and starts its cells apart from us:  sh start.sh PYTHON HOST CELL...
set -u
job=$(cd "$(dirname "$0")" && pwd) || exit 4
python=$1
host=$2
shift 2
say() { echo "assay: $*" >&2; exit 3; }
command -v git >/dev/null 2>&1 || say "there is no git on PATH"
cd / || exit 4 # Python would import modules from the folder that it is started in
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || say "$python is no Python 3.11 or newer"
"$python" -c 'import git, jinja2, pydantic, rich, typer, yaml' 2>/dev/null ||
  say "$python lacks packages that Assay needs; run there once: $python -m pip install GitPython jinja2 pydantic PyYAML rich typer"
cd "$job" || exit 4
if [ ! -d repo/.git/assay-ready ]; then
  git init -q repo &&
    git -C repo fetch -q ../commits.bundle 'refs/assay/*:refs/assay/*' &&
    git -C repo -c core.hooksPath=/dev/null checkout -q --detach refs/assay/head &&
    mkdir repo/.git/assay-ready || say "the commits cannot be laid out in $job/repo"
fi
rm -f pid started gone
for cell in "$@"; do rm -f "exit-$cell"; done
ASSAY_PLACE=$host PYTHONPATH=$job/tool
export ASSAY_PLACE PYTHONPATH
if command -v setsid >/dev/null 2>&1; then set -- setsid sh "$job/drive.sh" "$python" "$@"; else set -- nohup sh "$job/drive.sh" "$python" "$@"; fi
"$@" </dev/null >>log 2>&1 &
n=0
while [ ! -s started ] && [ "$n" -lt 100 ]; do n=$((n + 1)); sleep 0.1; done
[ -s started ] || say "the cells did not start"
