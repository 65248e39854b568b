"""What git and the forges say when a transfer fails, and what each of it means."""

import pytest

from assay.adapters.store_branch.outcome_signs import SIGNS, Kind
from assay.adapters.store_branch.outcomes import of_fetch, of_push

REF = "refs/heads/assay-data"


def status_line(summary: str, flag: str = "!") -> str:
    """What `git push --porcelain` prints for one ref."""
    return f"To https://github.com/org/repo\n{flag}\t{'a' * 40}:{REF}\t{summary}\nDone\n"


RACES = [
    "[rejected] (fetch first)",
    "[rejected] (non-fast-forward)",
    "[rejected] (stale info)",
    "[remote rejected] (failed to update ref)",
    "[remote rejected] (failed to lock)",
    "[remote rejected] (incorrect old value provided)",
    "[remote rejected] (reference already exists)",
    "[remote rejected] (non-fast-forward)",
    f"[remote rejected] (cannot lock ref '{REF}': is at {'a' * 40} but expected {'b' * 40})",
    f"[remote rejected] (cannot lock ref '{REF}': reference already exists)",
    f"[remote rejected] (cannot lock ref '{REF}': Unable to create '/srv/r.git/{REF}.lock': File exists.)",
]


@pytest.mark.parametrize("summary", RACES)
def test_a_lost_race_is_one(summary: str) -> None:
    said = f"error: failed to push some refs to 'https://github.com/org/repo'\nremote: error: {summary}"
    assert of_push(1, status_line(summary), said).kind is Kind.RACE


def test_a_server_cannot_talk_a_rejection_of_our_own_git_into_a_refusal() -> None:
    assert of_push(1, status_line("[rejected] (fetch first)"), "remote: permission denied, GH006, hook declined").kind is Kind.RACE


@pytest.mark.parametrize("flag", [" ", "*", "="])
def test_what_git_reports_as_done_is_done_whatever_is_said(flag: str) -> None:
    assert of_push(0, status_line("a..b", flag), "remote: error: fetch first").kind is Kind.DONE


def test_an_end_without_any_report_is_not_taken_for_success() -> None:
    assert of_push(0, "", "").kind is not Kind.DONE
    assert of_push(0, "Done\n", "").kind is not Kind.DONE


REFUSALS = [
    ("[remote rejected] (protected branch hook declined)", "remote: error: GH006: Protected branch update failed.", "branch protection"),
    (
        "[remote rejected] (push declined due to repository rule violations)",
        "remote: error: GH013: Repository rule violations found.\nremote: - Creations are restricted.",
        "branch protection",
    ),
    (
        "[remote rejected] (push declined due to repository rule violations)",
        "remote: error: GH013: Repository rule violations found.\nremote: - Commits must have verified signatures.",
        "would have to be signed",
    ),
    (
        "[remote rejected] (protected branch hook declined)",
        "remote: error: Changes must be made through a pull request.",
        "branch protection",
    ),
    (
        "[remote rejected] (pre-receive hook declined)",
        "remote: GitLab: You are not allowed to push code to protected branches",
        "branch protection",
    ),
    ("[remote rejected] (pre-receive hook declined)", "remote: error: GH001: Large files detected.", "larger than the server takes"),
    ("[remote rejected] (pre-receive hook declined)", "remote: no.", "a hook of the server declined it"),
    ("[remote rejected] (hook declined)", "", "a hook of the server declined it"),
    ("[remote rejected] (shallow update not allowed)", "", "shallow clone"),
    ("[remote rejected] (deny updating a hidden ref)", "", "does not allow that ref"),
    ("[remote rejected] (branch is currently checked out)", "", "does not allow that ref"),
    (
        "[remote rejected] (refusing to allow a GitHub App to update a workflow without `workflows` permission)",
        "",
        "does not allow that ref",
    ),
    ("[remote rejected] (unpacker error)", "remote: fatal: write error: No space left on device", "disk is full"),
    (
        "[remote rejected] (unpacker error)",
        "remote: error: insufficient permission for adding an object to repository database ./objects",
        "may not be written",
    ),
    (
        "[remote rejected] (failed to update ref)",
        f"remote: error: cannot lock ref '{REF}': Unable to create '/srv/r.git/{REF}.lock': Permission denied",
        "may not be written",
    ),
    (
        "[remote rejected] (failed to update ref)",
        "remote: error: cannot lock ref 'refs/heads/a/b': 'refs/heads/a' exists; cannot create 'refs/heads/a/b'",
        "stands in the way",
    ),
]


@pytest.mark.parametrize(("summary", "said", "reason"), REFUSALS)
def test_a_refusal_is_one_and_says_what_to_change(summary: str, said: str, reason: str) -> None:
    outcome = of_push(1, status_line(summary), said)
    assert (outcome.kind, reason in outcome.reason) == (Kind.REFUSED, True), outcome
    assert outcome.hint


FAILURES = [
    ("fatal: unable to access 'https://github.com/o/r/': The requested URL returned error: 403", Kind.REFUSED, "token or key"),
    ("remote: Permission to o/r.git denied to github-actions[bot].\nfatal: unable to access '…': 403", Kind.REFUSED, "token or key"),
    (
        "remote: Write access to repository not granted.\nfatal: unable to access: The requested URL returned error: 403",
        Kind.REFUSED,
        "token",
    ),
    ("fatal: Authentication failed for 'https://github.com/o/r/'", Kind.REFUSED, "token or key"),
    ("fatal: could not read Username for 'https://github.com': terminal prompts disabled", Kind.REFUSED, "token or key"),
    ("git@github.com: Permission denied (publickey).\nfatal: Could not read from remote repository.", Kind.REFUSED, "token or key"),
    ("ERROR: The key you are authenticating with has been marked as read only.", Kind.REFUSED, "token or key"),
    ("Host key verification failed.\nfatal: Could not read from remote repository.", Kind.REFUSED, "token or key"),
    ("remote: Repository not found.\nfatal: repository 'https://github.com/o/r/' not found", Kind.REFUSED, "no such repository"),
    ("fatal: '/srv/x.git' does not appear to be a git repository", Kind.REFUSED, "no such repository"),
    ("remote: This repository was archived so it is read-only.\nfatal: error: 403", Kind.REFUSED, "archived"),
    ("fatal: detected dubious ownership in repository at '/srv/r.git'", Kind.REFUSED, "another user owns"),
    ("fatal: unable to access: SSL certificate problem: self-signed certificate", Kind.REFUSED, "certificate"),
    ("error: RPC failed; HTTP 413 curl 22 The requested URL returned error: 413", Kind.REFUSED, "larger than"),
    ("remote: fatal: pack exceeds maximum allowed size (1.00 MiB)", Kind.REFUSED, "larger than"),
    ("fatal: unable to access '…': Could not resolve host: github.com", Kind.UNREACHABLE, "cannot be reached"),
    ("fatal: unable to access '…': Failed to connect to github.com port 443: Connection refused", Kind.UNREACHABLE, "cannot be reached"),
    ("ssh: connect to host x port 22: Connection timed out", Kind.UNREACHABLE, "cannot be reached"),
    ("fatal: unable to access '…': The requested URL returned error: 502", Kind.UNREACHABLE, "cannot be reached"),
    ("fatal: unable to access '…': The requested URL returned error: 429", Kind.UNREACHABLE, "cannot be reached"),
    ("fatal: the remote end hung up unexpectedly", Kind.UNREACHABLE, "cannot be reached"),
    ("error: RPC failed; curl 92 HTTP/2 stream 0 was not closed cleanly", Kind.UNREACHABLE, "cannot be reached"),
    ("fatal: unable to access '…': Operation too slow. Less than 1000 bytes/sec", Kind.UNREACHABLE, "cannot be reached"),
    ("fatal: unable to access '…': gnutls_handshake() failed: Error in the pull function.", Kind.UNREACHABLE, "cannot be reached"),
    ("error: object file objects/12/34 is empty\nfatal: loose object 1234 is corrupt", Kind.DAMAGED, "damaged"),
    ("fatal: bad object refs/assay/tips/12", Kind.DAMAGED, "damaged"),
    ("error: something that nobody has seen before", Kind.UNKNOWN, "do not know"),
    ("", Kind.UNKNOWN, "do not know"),
]


@pytest.mark.parametrize(("said", "kind", "reason"), FAILURES)
def test_a_transfer_that_never_got_to_the_ref_is_judged_by_what_was_said(said: str, kind: Kind, reason: str) -> None:
    for outcome in (of_fetch(128, said), of_push(128, "", said)):
        assert outcome.kind is kind, outcome
        assert reason in outcome.reason
        assert outcome.hint


def test_an_absent_ref_is_believed_of_our_own_git_only() -> None:
    assert of_fetch(128, f"fatal: couldn't find remote ref {REF}").kind is Kind.ABSENT
    assert of_fetch(128, f"remote: fatal: couldn't find remote ref {REF}").kind is not Kind.ABSENT


def test_a_lock_in_our_own_copy_is_waited_for() -> None:
    assert of_fetch(128, "fatal: Unable to create '/r/.git/assay/store.git/shallow.lock': File exists.\n\nAnother git…").kind is Kind.BUSY


def test_a_hash_that_differs_is_told() -> None:
    assert "another hash" in of_fetch(128, "fatal: mismatched algorithms: client sha1; server sha256").reason


def test_a_killed_transfer_is_silence_and_not_success() -> None:
    assert of_fetch(-9, "", late=True).kind is Kind.UNREACHABLE
    assert of_push(-9, status_line("a..b", " "), "", late=True).kind is Kind.UNREACHABLE


def test_what_a_server_says_is_quoted_in_one_harmless_line() -> None:
    said = "remote: \x1b[31mno\x1b[0m\r\nremote: ::error::x ##[add-mask]y\nremote: " + "z" * 5000
    reason = of_push(1, status_line("[remote rejected] (pre-receive hook declined)"), said).reason
    assert "\x1b" not in reason
    assert "\n" not in reason
    assert "##[" not in reason
    assert len(reason) < 400


def test_every_sign_has_a_way_out() -> None:
    for sign in SIGNS:
        assert sign.hint.endswith((".", "`."))
        assert not sign.reason.endswith(".")
