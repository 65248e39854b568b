"""The git adapter and its fake answer to the same port."""

from tests.fakes.repo import FakeRepo
from tests.repositories import Sandbox

from assay.adapters.git import GitRepo
from assay.ports import Repo


def questions(repo: Repo, commit: str) -> list[object]:
    answers = [
        repo.resolve(commit),
        repo.merge_base(commit, commit),
        repo.default_branch(),
        repo.first_parent(commit),
        repo.branch_of(commit),
    ]
    content = [repo.changes(commit, commit), repo.blobs(commit, ("*",)), repo.submodules(commit), repo.lfs_pointers(commit)]
    return [*answers, *content, repo.subject(commit), repo.is_dirty(), bool(repo.tree(commit)), bool(repo.root)]


def test_the_fake_answers_as_the_real_one_does(sandbox: Sandbox) -> None:
    sha = sandbox.commit({}, "A change")
    fake = FakeRepo(parents={sha: None}, default="main")
    assert questions(fake, sha) == questions(GitRepo.discover(str(sandbox.root)), sha)
    assert ("tree", sha) in fake.calls
