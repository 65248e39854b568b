"""Which names of environment variables must never reach a benchmark.

The child's environment is an allow-list anyhow; this is for the names that a config asks to let through.
"""

import re

# fmt: off
_WORDS = frozenset({
    "TOKEN", "TOKENS", "KEY", "KEYS", "SECRET", "SECRETS", "PASSWORD", "PASSWORDS", "PASSWD", "PASSPHRASE", "PASS", "PWD",
    "CREDENTIAL", "CREDENTIALS", "CRED", "CREDS", "AUTH", "AUTHORIZATION", "PAT", "JWT", "BEARER", "COOKIE", "COOKIES",
    "NETRC", "KUBECONFIG", "PGPASSFILE", "DSN",
})
_ENDINGS = (
    "TOKEN", "APIKEY", "ACCESSKEY", "SECRETKEY", "PRIVATEKEY", "SECRET", "PASSWORD", "PASSWD", "PASSPHRASE", "CREDENTIAL", "CREDENTIALS",
)
# TOKENS counts words of a model more often than it holds secrets
_COUNTS = frozenset({"MAX", "MIN", "NUM", "N", "NUMBER", "TOTAL", "NEW", "PER", "COUNT", "BATCH", "CONTEXT", "PROMPT", "OUTPUT", "INPUT"})
# fmt: on
_NOT_SECRET = frozenset({"PWD", "OLDPWD"})
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def looks_like_credential(name: str) -> bool:
    """Whether the name of a variable says that it holds a secret or leads to one, such as HF_TOKEN or KUBECONFIG.

    Judged by whole words, so that TOKENIZERS_PARALLELISM and MAX_TOKENS are none.
    """
    words = [word for word in re.split(r"[^A-Za-z0-9]+|_", _CAMEL.sub("_", name)) if word]
    words = [word.upper() for word in words]
    if name.upper() in _NOT_SECRET:
        return False
    if "TOKENS" in words and _COUNTS.intersection(words):
        words = [word for word in words if word != "TOKENS"]
    return any(word.rstrip("0123456789") in _WORDS or word.endswith(_ENDINGS) for word in words)
