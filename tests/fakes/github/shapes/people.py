"""Users, apps and repositories as GitHub's API gives them."""

from tests.fakes.github.hub import Hub
from tests.fakes.github.model import App, Token, User, UserType
from tests.fakes.github.permissions import ROLES, level_of
from tests.fakes.github.repository import Repository

Json = dict[str, object]
_FEATURES = ("issues", "projects", "wiki", "downloads", "discussions")
_LISTS = ("followers", "subscriptions", "organizations", "repos", "received_events")


def user(hub: Hub, one: User) -> Json:
    """A user. A bot's page is that of its app, and its login is quoted in addresses."""
    bot = one.type is UserType.BOT
    url = f"{hub.url}/users/{one.login.replace('[', '%5B').replace(']', '%5D')}"
    page = f"apps/{one.login.removesuffix('[bot]')}" if bot else one.login
    return {
        "login": one.login,
        "id": one.id,
        "node_id": f"U_{one.id}",
        "avatar_url": f"{hub.server_url}/avatars/u/{one.id}",
        "gravatar_id": "",
        "url": url,
        "html_url": f"{hub.server_url}/{page}",
        "following_url": f"{url}/following{{/other_user}}",
        "gists_url": f"{url}/gists{{/gist_id}}",
        "starred_url": f"{url}/starred{{/owner}}{{/repo}}",
        "events_url": f"{url}/events{{/privacy}}",
        **{f"{name}_url": f"{url}/{name}" for name in _LISTS},
        "type": one.type.value,
        "user_view_type": "public",
        "site_admin": False,
    }


def app(hub: Hub, one: App) -> Json:
    """An app; its owner is a user of its own name."""
    return {
        "id": one.id,
        "slug": one.slug,
        "node_id": f"A_{one.id}",
        "owner": user(hub, User(one.slug, one.id)),
        "name": one.name,
        "description": "",
        "external_url": f"{hub.server_url}/apps/{one.slug}",
        "html_url": f"{hub.server_url}/apps/{one.slug}",
        "created_at": "2020-01-01T00:00:00Z",
        "updated_at": "2020-01-01T00:00:00Z",
        "permissions": {},
        "events": [],
    }


def repository(hub: Hub, one: Repository, token: Token | None = None) -> Json:
    """A repository, with what the caller may do in it."""
    url = f"{hub.url}/repos/{one.full_name}"
    return {
        "id": one.id,
        "node_id": f"R_{one.id}",
        "name": one.name,
        "full_name": one.full_name,
        "private": one.private,
        "visibility": "private" if one.private else "public",
        "owner": user(hub, one.owner),
        "html_url": f"{hub.server_url}/{one.full_name}",
        "description": None,
        "fork": one.parent is not None,
        "default_branch": one.default_branch,
        "archived": False,
        "disabled": False,
        **{f"has_{feature}": True for feature in _FEATURES},
        "permissions": _permissions(token, one),
        **_urls(hub, one, url),
    }


def _urls(hub: Hub, one: Repository, url: str) -> Json:
    return {
        "url": url,
        "clone_url": one.clone_url,
        "git_url": one.clone_url.replace("http:", "git:"),
        "ssh_url": f"git@127.0.0.1:{one.full_name}.git",
        "branches_url": f"{url}/branches{{/branch}}",
        "git_refs_url": f"{url}/git/refs{{/sha}}",
        "commits_url": f"{url}/commits{{/sha}}",
        "comments_url": f"{url}/comments{{/number}}",
        "issue_comment_url": f"{url}/issues/comments{{/number}}",
        "contents_url": f"{url}/contents/{{+path}}",
        "compare_url": f"{url}/compare/{{base}}...{{head}}",
        "issues_url": f"{url}/issues{{/number}}",
        "pulls_url": f"{url}/pulls{{/number}}",
        "statuses_url": f"{url}/statuses/{{sha}}",
        "collaborators_url": f"{url}/collaborators{{/collaborator}}",
        "forks_url": f"{url}/forks",
        "hooks_url": f"{url}/hooks",
    }


def _permissions(token: Token | None, one: Repository) -> dict[str, bool]:
    names = {"pull": "read", "triage": "triage", "push": "write", "maintain": "maintain", "admin": "admin"}
    if token is not None and token.app:
        reach = ("none", "read", "write")[level_of(token, "contents", one)]
    else:
        reach = one.role(token.user.login if token else "")
    return {name: ROLES.index(reach) >= ROLES.index(role) for name, role in names.items()}
