"""One repository on the fake: its people, its pull requests and what was said about its commits, over a real bare repository."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from tests.fakes.github.git import BareRepository
from tests.fakes.github.model import Activity, Artifact, CheckRun, Comment, Issue, Reaction, Status, User, WorkflowRun, now
from tests.fakes.github.protection import Protection, Rule, Style, protect

if TYPE_CHECKING:
    from tests.fakes.github.hub import Hub


@dataclass(slots=True)
class Pull:
    """A pull request. `head` is None once the repository of its branch is gone; its commits stay in refs/pull."""

    issue: Issue
    head: "Repository | None"
    head_owner: str
    head_ref: str
    base_ref: str
    head_sha: str
    base_sha: str
    merge_sha: str | None = None
    mergeable: bool | None = None
    merged: bool = False
    merged_by: User | None = None
    judged: tuple[str, str] | None = None

    @property
    def number(self) -> int:
        return self.issue.number

    @property
    def open(self) -> bool:
        return self.issue.state == "open"


@dataclass(slots=True)
class Repository:
    """The state of one repository. Every change that a test makes by hand goes through a method of this class."""

    hub: "Hub"
    id: int
    owner: User
    name: str
    git: BareRepository
    private: bool = False
    parent: "Repository | None" = None
    default_branch: str = "main"
    collaborators: dict[str, str] = field(default_factory=dict)
    issues: dict[int, Issue] = field(default_factory=dict)
    pulls: dict[int, Pull] = field(default_factory=dict)
    labels: dict[int, list[str]] = field(default_factory=dict)
    comments: dict[int, Comment] = field(default_factory=dict)
    reactions: list[Reaction] = field(default_factory=list)
    checks: dict[int, CheckRun] = field(default_factory=dict)
    statuses: list[Status] = field(default_factory=list)
    workflow_runs: dict[int, WorkflowRun] = field(default_factory=dict)
    artifacts: dict[int, Artifact] = field(default_factory=dict)
    protections: dict[str, Protection] = field(default_factory=dict)
    required_checks: dict[str, tuple[str, ...]] = field(default_factory=dict)
    ruled_checks: dict[str, tuple[str, ...]] = field(default_factory=dict)
    activities: list[Activity] = field(default_factory=list)

    @property
    def full_name(self) -> str:
        return f"{self.owner.login}/{self.name}"

    @property
    def clone_url(self) -> str:
        return f"{self.hub.server_url}/{self.full_name}.git"

    @property
    def path(self) -> Path:
        """The bare repository on disk, for tests that put commits there by other ways than the API."""
        return self.git.path

    def role(self, login: str) -> str:
        """What a person is here: the owner an admin, a stranger a reader where everybody is."""
        if login == self.owner.login:
            return "admin"
        return self.collaborators.get(login, "none" if self.private else "read")

    def open_issue(self, title: str = "An issue", *, author: User | None = None) -> Issue:
        number = len(self.issues) + 1
        self.issues[number] = Issue(number, title, "What it is about.", author or self.owner, now())
        return self.issues[number]

    def open_pull(self, head: str, base: str | None = None, *, title: str = "A change", author: User | None = None) -> Pull:
        """Open a pull request from `branch`, or from `owner:branch` of a fork. Raises LookupError for a branch that is not there."""
        base = base or self.default_branch
        source, branch = self.head_source(head)
        head_sha, base_sha = source.git.branch(branch), self.git.branch(base)
        if head_sha is None or base_sha is None:
            raise LookupError(f"{self.full_name} has no {base if base_sha is None else branch}")
        issue = self.open_issue(title, author=author or source.owner)
        pull = Pull(issue, source, source.owner.login, branch, base, head_sha, base_sha)
        self.pulls[issue.number] = pull
        self.sync()
        return pull

    def head_source(self, head: str) -> tuple["Repository", str]:
        """The repository and the branch that `branch` or `owner:branch` names."""
        login, separator, branch = head.rpartition(":")
        if not separator or login == self.owner.login:
            return self, branch
        forks = [repo for repo in self.hub.repositories.values() if repo.parent is self and repo.owner.login == login]
        if not forks:
            raise LookupError(f"{login} has no fork of {self.full_name}")
        return forks[0], branch

    def close_pull(self, pull: Pull, *, merged_by: User | None = None) -> None:
        """Close a pull request, merged into its base by somebody or not."""
        self.sync()
        if merged_by is not None:
            assert pull.merge_sha
            self.git.set_ref(f"refs/heads/{pull.base_ref}", pull.merge_sha)
            pull.merged, pull.merged_by = True, merged_by
        pull.issue.state = "closed"

    def delete_head(self, pull: Pull) -> None:
        """Take away the fork that a pull request comes from."""
        assert pull.head is not None
        assert pull.head is not self
        self.hub.remove_repository(pull.head)
        pull.head = None

    def comment(self, number: int, body: str, author: User) -> Comment:
        """Let somebody comment on an issue or a pull request, by no request that a test would count."""
        moment = now()
        comment = Comment(self.hub.new_id(), number, author, None, body, moment, moment)
        self.comments[comment.id] = comment
        return comment

    def add_workflow_run(self, name: str, event: str, head_branch: str, head_sha: str, *, head_repository: str = "") -> WorkflowRun:
        run = WorkflowRun(self.hub.new_id(), name, event, head_branch, head_sha, self.owner, head_repository or self.full_name)
        self.workflow_runs[run.id] = run
        return run

    def add_artifact(self, run: int, name: str, content: bytes) -> Artifact:
        """Upload the bytes of a zip file as an artifact of a run."""
        artifact = Artifact(self.hub.new_id(), run, name, content, now())
        self.artifacts[artifact.id] = artifact
        return artifact

    def protect(self, branch: str, *rules: Rule, style: Style = Style.CLASSIC, bypass: tuple[str, ...] = ()) -> None:
        """Refuse pushes to a branch or a full ref, in GitHub's words, but for the logins that may bypass it."""
        ref = branch if branch.startswith("refs/") else f"refs/heads/{branch}"
        self.protections[ref] = Protection(ref, rules or (Rule.PULL_REQUEST,), style, bypass)
        protect(self.git, self.protections.values())

    def sync(self) -> None:
        """Bring refs/pull, the test merges and the activity up to where the branches are now."""
        self._note_moves()
        for pull in self.pulls.values():
            if pull.open:
                tip = pull.head.git.branch(pull.head_ref) if pull.head else None
                pull.head_sha = tip or pull.head_sha
                pull.base_sha = self.git.branch(pull.base_ref) or pull.base_sha
                if pull.judged != (pull.base_sha, pull.head_sha):
                    self._judge(pull)

    def _note_moves(self) -> None:
        """Nobody tells of a push to the bare repository: what moved since the last look moved now."""
        tips = {one.ref: one.after for one in self.activities}
        for ref, sha in self.git.refs("refs/heads/").items():
            if tips.get(ref) != sha:
                self.activities.append(Activity(self.hub.new_id(), ref, tips.get(ref, "0" * 40), sha, now(), self.owner))

    def _judge(self, pull: Pull) -> None:
        """Merge base and head anew, beside all branches."""
        pull.judged = (pull.base_sha, pull.head_sha)
        if pull.head:
            self.git.take(pull.head.git, pull.head_sha)
        self.git.set_ref(f"refs/pull/{pull.number}/head", pull.head_sha)
        merge = self.git.merge(pull.base_sha, pull.head_sha, f"Merge {pull.head_sha} into {pull.base_sha}")
        pull.mergeable = merge is not None
        pull.merge_sha = merge or pull.merge_sha
        if merge is not None:
            self.git.set_ref(f"refs/pull/{pull.number}/merge", merge)
