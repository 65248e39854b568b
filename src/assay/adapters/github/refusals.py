"""What a failed request to GitHub means to a person, and whether it may have been done all the same."""

from collections.abc import Iterator
from contextlib import contextmanager

from github import BadAttributeException, GithubException, RateLimitExceededException

from assay.core.escape import plain
from assay.errors import ForgeError

_STATUS = "https://www.githubstatus.com"


class UncertainError(ForgeError):
    """No answer, or none that says whether the request was carried out: it may have been."""


@contextmanager
def told(what: str) -> Iterator[None]:
    """Turn what PyGithub and what carries it may raise into a ForgeError. `what` completes `GitHub did not let us …`."""
    try:
        yield
    except GithubException as error:
        raise _refused(error, what) from error
    except OSError as error:  # a RequestException is one; so is a bundle of certificates that is not there
        reason = plain(str(error).partition(" for url")[0], 200)
        raise UncertainError(
            f"GitHub did not answer when it was to {what}: {type(error).__name__}: {reason}.",
            hint="See whether the runner reaches the API (GITHUB_API_URL), and run the job again.",
        ) from error
    except (
        AssertionError,
        AttributeError,
        BadAttributeException,
        LookupError,
        TypeError,
        ValueError,
    ) as error:  # PyGithub trusts its server
        raise UncertainError(
            f"GitHub answered with something unexpected when it was to {what}: {type(error).__name__}.",
            hint="See that GITHUB_API_URL is the address that the server itself gives out.",
        ) from error


def _refused(error: GithubException, what: str) -> ForgeError:
    status, said = error.status, _said(error)
    if isinstance(error, RateLimitExceededException) or status == 429:
        return ForgeError(f"GitHub's rate limit stopped us when it was to {what}: {said}", hint="Run the job again in a while.")
    if status == 401:
        return ForgeError(
            f"GitHub does not accept the token when it is to {what}.",
            hint="See the input github-token; a job's own token ends with the job.",
        )
    if status == 403:
        return ForgeError(f"The token may not {what}: {said}", hint="See the `permissions:` of the job.", denied=True)
    if status == 404:
        where = "See the repository's name, and that the token may read it."
        return ForgeError(f"GitHub finds no place to {what}.", hint=where, refused=True)
    if 300 <= status < 400:
        moved = "See that GITHUB_API_URL is the address that the server itself gives out, and whether the repository was renamed."
        return ForgeError(f"GitHub sends us elsewhere when it was to {what}: {said}", hint=moved)
    if status >= 500:
        return UncertainError(f"GitHub failed (status {status}) when it was to {what}.", hint=f"See {_STATUS}, and run the job again.")
    mistake = "This is likely a mistake of Assay's; please report it."
    return ForgeError(f"GitHub refused to {what} (status {status}): {said}", hint=mistake, refused=True)


def _said(error: GithubException) -> str:
    """The message of the answer, with the details of a 422."""
    data = error.data if isinstance(error.data, dict) else {}
    details = data.get("errors")
    each = details if isinstance(details, list) else []
    texts = [
        one if isinstance(one, str) else str(one.get("message") or one.get("code") or "") for one in each if isinstance(one, str | dict)
    ]
    return plain("; ".join(text for text in (str(data.get("message") or "no reason given"), *texts) if text), 300)
