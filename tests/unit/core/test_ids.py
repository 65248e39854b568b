"""Ids sort by time, keep to their grammar, and can name nothing but a file of their own."""

from datetime import UTC, datetime, timedelta, timezone
from pathlib import PurePosixPath

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from assay.core.ids import is_id, moment_of, new_id
from assay.core.store_layout import decision_path, run_path, tombstone_path
from assay.core.timestamp import moment, stamp

TIMES = st.datetimes(datetime(1970, 1, 1), datetime(9999, 12, 30), timezones=st.just(UTC))  # noqa: DTZ001 hypothesis adds the zone
ENTROPY = st.binary(min_size=10, max_size=10)
PREFIXES = st.sampled_from(["run", "dec", "exp", "rec"])
MILLISECOND = timedelta(milliseconds=1)


@given(PREFIXES, TIMES, ENTROPY)
def test_a_new_id_keeps_to_the_grammar_and_its_time(prefix: str, now: datetime, entropy: bytes) -> None:
    made = new_id(prefix, now, entropy)
    assert is_id(prefix, made)
    assert timedelta(0) <= now - moment_of(made) < MILLISECOND


@given(TIMES, TIMES, ENTROPY, ENTROPY)
def test_later_ids_sort_later(one: datetime, other: datetime, chance: bytes, more: bytes) -> None:
    first, second = sorted((one, other))
    if second - first >= MILLISECOND:
        assert new_id("run", first, chance) < new_id("run", second, more)


@given(TIMES, ENTROPY, ENTROPY)
def test_other_chance_makes_another_id(now: datetime, chance: bytes, more: bytes) -> None:
    assert (new_id("run", now, chance) == new_id("run", now, more)) == (chance == more)


def test_an_id_is_a_ulid() -> None:
    assert new_id("run", datetime(2016, 7, 30, 22, 36, 16, 385000, UTC), b"\xff" * 10) == "run-01ARYZ6S41ZZZZZZZZZZZZZZZZ"


def test_the_zone_of_the_moment_does_not_matter() -> None:
    noon = datetime(2025, 3, 1, 12, tzinfo=UTC)
    assert new_id("run", noon.astimezone(timezone(timedelta(hours=9))), bytes(10)) == new_id("run", noon, bytes(10))


@pytest.mark.parametrize("prefix", ["", "run-", "Run", "r/n", "..", "rün", "run\n"])
def test_a_prefix_is_a_lower_case_word(prefix: str) -> None:
    with pytest.raises(ValueError, match="lower-case word"):
        new_id(prefix, datetime(2025, 1, 1, tzinfo=UTC), bytes(10))


@pytest.mark.parametrize("size", [0, 9, 11])
def test_chance_is_ten_bytes(size: int) -> None:
    with pytest.raises(ValueError, match="10 bytes"):
        new_id("run", datetime(2025, 1, 1, tzinfo=UTC), bytes(size))


def test_a_time_before_the_epoch_is_refused() -> None:
    with pytest.raises(ValueError, match="cannot hold the time"):
        new_id("run", datetime(1969, 12, 31, tzinfo=UTC), bytes(10))


GOOD = "01ARYZ6S41TSV4RRFFQ69G5FAV"


@pytest.mark.parametrize(
    "text",
    [
        GOOD,
        f"dec-{GOOD}",
        f"run-{GOOD.lower()}",
        f"RUN-{GOOD}",
        f"run-{GOOD}\n",
        f" run-{GOOD}",
        f"run-{GOOD[:-1]}",
        f"run-{GOOD}0",
        f"run-{GOOD[:-1]}U",
        f"run-{GOOD[:-1]}I",
        f"run-8{GOOD[1:]}",
        f"run-7ZZZZZZZZZ{'0' * 16}",
        f"run-{GOOD[:-1]}٣",
        f"run-{GOOD}.json",
        "run-../../../../etc/passwd0000",
        "../run-" + GOOD,
        "run-" + "." * 26,
        "run-",
        "",
    ],
)
def test_nothing_else_is_a_run_id(text: str) -> None:
    assert is_id("run", f"run-{GOOD}")
    assert not is_id("run", text)


@given(st.text() | st.from_regex(r"(run|dec)-[0-9A-Z./]{20,30}"))
@example(f"run-{GOOD}")
@example("run-/../" + "0" * 22)
def test_whatever_the_grammar_accepts_names_one_file_in_its_own_folder(text: str) -> None:
    for prefix, path_of, folder in (("run", run_path, "runs"), ("dec", decision_path, "decisions"), ("run", tombstone_path, "invalidated")):
        if is_id(prefix, text):
            path = PurePosixPath(path_of(text))
            assert path.parts[0] == folder
            assert path.name == f"{text}.json"
            assert ".." not in path.parts
        else:
            with pytest.raises(ValueError, match="not an id"):
                path_of(text)


def test_a_record_lies_under_the_month_of_its_id() -> None:
    made = new_id("run", datetime(2025, 3, 31, 23, 59, 59, 999000, UTC), bytes(10))
    assert run_path(made) == f"runs/2025/03/{made}.json"


def test_an_early_year_has_four_digits_in_the_layout() -> None:
    assert run_path(new_id("run", datetime(1970, 1, 1, tzinfo=UTC), bytes(10))).startswith("runs/1970/01/")


@given(TIMES)
def test_a_stamp_reads_back_to_the_millisecond(now: datetime) -> None:
    assert timedelta(0) <= now - moment(stamp(now)) < MILLISECOND
    assert stamp(moment(stamp(now))) == stamp(now)


@pytest.mark.parametrize(
    "text",
    [
        "2025-03-01",
        "2025-03-01T12:00:00",
        "2025-03-01T12:00:00+00:00",
        "2025-03-01 12:00:00Z",
        "2025-13-01T12:00:00Z",
        "٢025-03-01T12:00:00Z",
        "",
    ],
)
def test_any_other_form_of_time_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"not a time in UTC|month must be"):
        moment(text)


def test_a_moment_without_a_zone_is_refused() -> None:
    with pytest.raises(ValueError, match="without a time zone"):
        stamp(datetime(2025, 3, 1))  # noqa: DTZ001 it is what must be refused
