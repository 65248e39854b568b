"""The remote that a store is kept on: its URL without any credential, and the variables that carry the credential to git.

A token never stands in an argument, a file or a message: it goes to one git process at a time, through its environment, and git
sends it to that one URL only.
"""

import base64
import re
from collections.abc import Mapping
from dataclasses import field
from pathlib import Path
from typing import Self
from urllib.parse import SplitResult, unquote, urlsplit

from assay.core.escape import plain
from assay.core.values import dataclass
from assay.errors import UsageError

NAME = "store"
"""What git is told to call the remote."""

_SCP = re.compile(r"(?!-)[^/:]+:(?!:).*", re.DOTALL)
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")
_HELPER = re.compile(r"[A-Za-z0-9]+::")
_LIKE_A_TOKEN = 20
_HINT = "Its URL has to be a path, or begin with https://, http://, ssh://, file:// or user@host:"


@dataclass(frozen=True, slots=True)
class Credentials:
    """A token of the forge. It shows in no repr."""

    token: str = field(repr=False)

    def __post_init__(self) -> None:
        if not self.token or not self.token.isascii() or not self.token.isprintable() or " " in self.token:
            raise UsageError("The token for the data branch has characters that no token has.", hint="Copy it again, without line breaks.")

    @property
    def header(self) -> str:
        """The header that git is to send with every request."""
        return _basic(f"x-access-token:{self.token}")


@dataclass(frozen=True, slots=True)
class Remote:
    """A URL that git may use, and the header that opens it."""

    url: str
    protocol: str
    header: str | None = field(default=None, repr=False)

    @classmethod
    def parse(cls, url: str, root: str, credentials: Credentials | None = None) -> Self:
        """Read the URL of a user's remote; a path counts from `root`. What stands in the URL as a password goes into the header.

        Raises UsageError for a transport that is not one of git's own plain ones.
        """
        if not url or not url.isprintable() or _HELPER.match(url):
            raise UsageError(f"The remote {plain(url, 80) or '(empty)'} of the data branch is no URL.", hint=_HINT)
        if not _SCHEME.match(url):
            return cls(url, "ssh") if _SCP.fullmatch(url) else cls(str(Path(root, url)), "file")
        parts = urlsplit(url)
        if parts.scheme not in ("https", "http", "ssh", "file"):
            raise UsageError(f"The remote of the data branch uses the transport {plain(parts.scheme, 40)}.", hint=_HINT)
        if parts.scheme in ("ssh", "file"):
            return cls(url, parts.scheme)
        host = parts.netloc.rpartition("@")[2]
        clean = parts._replace(netloc=host).geturl()
        return cls(clean, parts.scheme, credentials.header if credentials else _embedded(parts))

    @property
    def variables(self) -> Mapping[str, str]:
        """Configuration for one git process, in its environment, where no other user can read it."""
        entries = [(f"remote.{NAME}.url", self.url), (f"protocol.{self.protocol}.allow", "always")]
        if self.header:
            entries.append((f"http.{self.url}.extraHeader", self.header))
        found = {"GIT_CONFIG_COUNT": str(len(entries))}
        for number, (key, value) in enumerate(entries):
            found |= {f"GIT_CONFIG_KEY_{number}": key, f"GIT_CONFIG_VALUE_{number}": value}
        return found

    def redacted(self, text: str) -> str:
        """A text of git's without the credential, should a server have sent it back."""
        for secret in self._secrets():
            text = text.replace(secret, "***")
        return re.sub(r"(?<=://)[^/@\s]+@", "***@", text)

    def _secrets(self) -> tuple[str, ...]:
        if not self.header:
            return ()
        encoded = self.header.rpartition(" ")[2]
        return encoded, base64.b64decode(encoded).decode().partition(":")[2] or encoded


def _embedded(parts: SplitResult) -> str | None:
    """The header for what stands before the host: user and password, or a token alone, as forges accept it."""
    user, password = unquote(parts.username or ""), unquote(parts.password or "")
    if password or len(user) >= _LIKE_A_TOKEN:
        return _basic(f"{user}:{password}")
    return None


def _basic(pair: str) -> str:
    return "Authorization: Basic " + base64.b64encode(pair.encode()).decode()
