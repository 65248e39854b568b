# Asks the cells to end, in order:  sh stop.sh
cd "$(dirname "$0")" 2>/dev/null || exit 0
pid=$(cat pid 2>/dev/null)
[ -n "$pid" ] && [ "$(ps -o lstart= -p "$pid")" = "$(cat started 2>/dev/null)" ] || exit 0
kill -TERM "$pid" 2>/dev/null
child=$(cat child 2>/dev/null)
[ -z "$child" ] || kill -TERM "$child" 2>/dev/null
exit 0
