"""A secret wherever a job or a user keeps one, and shell by which a benchmark looks into all those places and prints what it found."""

from pathlib import Path

CANARY = "canary-5f1c77e0b9d24a"
VARIABLES = (
    *("GITHUB_TOKEN", "GH_TOKEN", "INPUT_PUSH-TOKEN", "INPUT_PUSH_TOKEN", "ASSAY_PUSH_TOKEN", "ACTIONS_RUNTIME_TOKEN"),
    *("ACTIONS_ID_TOKEN_REQUEST_TOKEN", "ACTIONS_CACHE_URL", "SERVICE_TOKEN", "API_KEY", "AWS_SECRET_ACCESS_KEY", "SSH_AUTH_SOCK"),
    *("DOCKER_AUTH_CONFIG", "DATABASE_URL", "HF_TOKEN", "OPENAI_API_KEY", "GITHUB_ENV_EXTRA"),
)
FILES = (".netrc", ".git-credentials", ".ssh/id_ed25519", ".config/gh/hosts.yml", ".docker/config.json", ".aws/credentials")
_LOOK = """\
printf '%s\\n' WANTED >"$TMPDIR/wanted"  # not in an argument, where the search would find itself
{ id -u
  env
  cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline 2>/dev/null | tr '\\0' '\\n'
  cat /proc/$PPID/mem 2>/dev/null | head -c 10000000
  for file in FILES; do cat "HOME/$file" 2>/dev/null; done
  cat CHECKOUT/.git/config PLACE/temp/* 2>/dev/null
  cat ../../.git/config ../.git/config .git/config 2>/dev/null
  find PLACE -name 'git-credentials-*' -exec cat {} + 2>/dev/null
  for fd in /proc/self/fd/*; do [ -f "$fd" ] && head -c 100000 "$fd" 2>/dev/null; done
} | grep -a -c -F -f "$TMPDIR/wanted" | sed 's/^/METRIC leaks=/'
grep -c -F -f "$TMPDIR/wanted" "$TMPDIR/wanted" | sed 's/^/METRIC control=/'
"""


def look(place: Path, checkout: Path, *tokens: str) -> str:
    """The shell; the metric `leaks` counts lines with a canary or a token, `control` those in the list of what is looked for."""
    wanted = " ".join((CANARY, *tokens))
    shell = _LOOK.replace("WANTED", wanted).replace("FILES", " ".join(FILES)).replace("HOME", str(place / "home"))
    return shell.replace("CHECKOUT", str(checkout)).replace("PLACE", str(place))


def plant_at_home(home: Path) -> None:
    """What tools keep in a home, closed to others as they close it."""
    for name in FILES:
        path = home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{CANARY}-file\n", encoding="utf-8")
        path.chmod(0o600)
