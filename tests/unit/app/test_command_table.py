"""The table of commands: each verb has its place, and what it says of rights holds."""

from dataclasses import replace

import pytest
from tests.fakes.clock import FakeClock
from tests.fakes.forge import FakeForge
from tests.fakes.repo import FakeRepo
from tests.fakes.store import FakeStore
from tests.offices import office_of
from tests.unit.app.test_order import NOON, PULL, SAID

from assay.app.command import NOT_YET
from assay.app.command_table import TABLE
from assay.app.order import Order, order_of
from assay.core.comment_command import Verb
from assay.core.comment_lines import TRIGGER
from assay.core.forge_facts import Permission, Reaction

SHA = PULL.head_sha
WORDS = {Verb.APPROVE: f"approve {SHA}", Verb.GRANT: "grant 1"}


def replied(verb: Verb, permission: Permission, *, closed: bool = False) -> tuple[str, list[Reaction]]:
    forge = FakeForge(pulls={7: replace(PULL, open=not closed)}, permissions={"ada": permission}, pushes={("faster", SHA): NOON})
    said = replace(SAID, body=f"{TRIGGER} {WORDS.get(verb, verb.value)}")
    assert not isinstance(order_of(said, office_of(forge, FakeRepo(), FakeStore(), FakeClock())), Order)
    return forge.comments.get(7, ""), [reaction for _, reaction in forge.reactions]


def test_every_verb_has_one_entry_and_only_run_starts_code() -> None:
    assert set(TABLE) == set(Verb)
    assert [verb for verb, entry in TABLE.items() if entry.orders] == [Verb.RUN]
    assert all(entry.needs.covers(Permission.WRITE) for entry in TABLE.values())


@pytest.mark.parametrize("verb", [verb for verb, entry in TABLE.items() if not entry.built])
def test_what_is_not_built_says_so_and_asks_nothing_further(verb: Verb) -> None:
    reply, reactions = replied(verb, Permission.ADMIN)
    assert NOT_YET in reply
    assert reactions == [Reaction.CONFUSED]


@pytest.mark.parametrize("verb", list(Verb))
def test_who_may_read_alone_gets_no_word_of_any_command(verb: Verb) -> None:
    assert replied(verb, Permission.READ) == ("", [Reaction.CONFUSED])


@pytest.mark.parametrize("verb", [verb for verb, entry in TABLE.items() if entry.built and entry.needs is Permission.ADMIN])
def test_what_is_for_admins_is_refused_to_writers(verb: Verb) -> None:
    reply, reactions = replied(verb, Permission.WRITE)
    assert "admin rights" in reply
    assert reactions == [Reaction.CONFUSED]


@pytest.mark.parametrize("verb", [verb for verb, entry in TABLE.items() if entry.built and not entry.closed])
def test_what_is_for_open_pull_requests_is_refused_on_closed_ones(verb: Verb) -> None:
    reply, reactions = replied(verb, Permission.ADMIN, closed=True)
    assert "closed" in reply
    assert reactions[-1] is Reaction.CONFUSED


def test_help_is_given_on_a_closed_pull_request_too() -> None:
    reply, reactions = replied(Verb.HELP, Permission.WRITE, closed=True)
    assert "run [BENCHMARK" in reply
    assert reactions == [Reaction.EYES, Reaction.ROCKET]
