"""Which paths a kept commit may hold: what is allowed, no secrets, nothing huge, never the store."""

from collections.abc import Iterable

from assay.core.globs import Globs
from assay.core.units import format_size
from assay.core.values import dataclass

SECRETS = (
    *(".env", ".env.*", "!.env.example", "!.env.sample", "!.env.template", "!.env.dist", ".envrc"),
    *("*.pem", "*.key", "*.p12", "*.pfx", "*.ppk", "*.jks", "*.keystore", "*.kdbx"),
    *("id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", "*_rsa", "*_ed25519"),
    *(".netrc", "_netrc", ".pypirc", ".npmrc", ".pgpass", ".htpasswd", ".dockercfg", ".git-credentials"),
    *(".aws/", ".ssh/", ".gnupg/", ".kube/", ".azure/", ".docker/config.json", ".huggingface/token"),
    *("credentials", "credentials.json", "credentials.y*ml", "secrets.json", "secrets.y*ml", "secrets.toml", "*service-account*.json"),
)
"""Names under which people keep secrets, as gitignore patterns for paths in lower case."""

OURS = ".assay/"

SPARED = "it was there before the run, and is not tracked; --include PATH commits it all the same"


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A path that a keep does not commit, and why."""

    path: str
    reason: str


def covers(patterns: Globs, path: str) -> bool:
    """Whether patterns cover a path, in whose names there may be line ends."""
    return patterns.matches(path.replace("\n", "?"))


class KeepRules:
    """Judges paths. What is named in `include` is committed whatever it looks like, but for what is our own."""

    def __init__(self, allow: Iterable[str], max_file: int, include: Iterable[str] = ()) -> None:
        self._allow = Globs(allow)
        self._secrets = Globs(SECRETS)
        self._max_file = max_file
        self._include = frozenset(include)

    def objection(self, path: str, size: int = 0) -> str | None:
        """Why a path is left out, None where it is not."""
        if path == OURS.rstrip("/") or path.startswith(OURS):
            return "it is Assay's own"
        if path in self._include:
            return None
        if not covers(self._allow, path):
            return "`git.allow` does not cover it"
        if self.looks_secret(path):
            return "its name is one under which secrets are kept; --include PATH commits it all the same"
        if size > self._max_file:
            limit = f"`git.max_file` of {format_size(self._max_file)}"
            return f"it has {format_size(size)}, more than {limit}; --include PATH commits it all the same"
        return None

    def looks_secret(self, path: str) -> bool:
        """Whether the name says that it holds a secret."""
        return covers(self._secrets, path.lower())
