# Measures cells one after the other, and leaves of each how it ended:  sh drive.sh PYTHON CELL...
# Belongs to no connection. Told to stop it stops after the cell at hand, which is told as well.
set -u
cd "$(dirname "$0")" || exit 4
job=$PWD
python=$1
shift
echo "$$" >pid
ps -o lstart= -p "$$" >started.new && mv started.new started
trap 'stopped=1' TERM INT HUP
stopped=
for cell in "$@"; do
  [ -z "$stopped" ] || break
  echo "$cell" >at
  (cd "$job/repo" && exec "$python" -P -m assay run --here --artifact "$job/hand" --config "$job/hand/config.yml" --benchmark "$cell") &
  child=$!
  echo "$child" >child
  while :; do
    wait "$child"
    code=$?
    kill -0 "$child" 2>/dev/null || break # else it was a signal of ours that ended the waiting
  done
  echo "$code" >"exit-$cell.new" && mv "exit-$cell.new" "exit-$cell"
done
rm -f at child
