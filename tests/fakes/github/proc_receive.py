"""The hook behind branch protection, run by git for refs that a rule names: refuses in GitHub's words, or lets git go on.

Speaks the proc-receive protocol of githooks(5). Imports nothing of this package, for git starts it by itself.
"""

import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any


def _packets() -> Iterator[str]:
    """The packets up to the next flush."""
    while size := int(sys.stdin.buffer.read(4) or b"0", 16):
        yield sys.stdin.buffer.read(size - 4).decode().rstrip("\n")


def _send(*lines: str) -> None:
    for line in lines:
        data = line.encode()
        sys.stdout.buffer.write(b"%04x%s" % (len(data) + 4, data))


def _flush() -> None:
    sys.stdout.buffer.write(b"0000")
    sys.stdout.buffer.flush()


def _explain(rule: dict[str, Any]) -> None:
    bullet = "" if rule["style"] == "classic" else "- "
    lines = [f"error: {rule['headline']}", *(f"{bullet}{text}" for text in rule["rules"])]
    sys.stderr.write("\n".join(lines) + "\n")
    sys.stderr.flush()


def main() -> None:
    rules = {rule["ref"]: rule for rule in json.loads(Path("protection.json").read_text(encoding="utf-8"))}
    pusher = os.environ.get("REMOTE_USER", "")
    list(_packets())
    _send("version=1\n")
    _flush()
    for command in list(_packets()):
        ref = command.split(" ")[2]
        rule = rules.get(ref)
        if rule is None or pusher in rule["bypass"]:
            _send(f"ok {ref}\n", "option fall-through\n")
        else:
            _explain(rule)
            _send(f"ng {ref} {rule['reason']}\n")
    _flush()


if __name__ == "__main__":
    main()
