"""Which card a process means, and what disturbed it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.core.devices import Card, Instance, Sighting, Slowdown, cards_for, claims_of, disturbance, slowdowns_in

ONE = Card("0000:17:00.0", 0, "GPU-11111111-aaaa", "NVIDIA A100", mig=False)
TWO = Card("0000:65:00.0", 1, "GPU-22222222-bbbb", "NVIDIA A100", mig=False)
OTHER = Card("0000:b3:00.0", 2, "GPU-22333333-cccc", "NVIDIA T4", mig=False)
CUT = Card("0000:65:00.0", 1, "GPU-22222222-bbbb", "NVIDIA A100", mig=True, instances=(Instance("MIG-5555", "NVIDIA A100 MIG 1g.5gb"),))
BOTH = (ONE, TWO)


def visible(text: str, **more: str) -> dict[str, str]:
    return {"CUDA_VISIBLE_DEVICES": text, **more}


@pytest.mark.parametrize("name", ["1", " 1", "GPU-22222222-bbbb", "GPU-2222", "MIG-GPU-22222222-bbbb/1/0"])
def test_a_card_is_the_same_under_each_of_its_names(name: str) -> None:
    assert cards_for(BOTH, visible(name), 1) == (TWO,)
    assert claims_of(BOTH, visible(name), 1) == ("gpu:0000:65:00.0",)


def test_a_mig_instance_claims_its_card() -> None:
    assert cards_for((ONE, CUT), visible("MIG-5555"), 1) == (CUT,)


def test_without_a_choice_the_first_cards_are_used() -> None:
    assert cards_for(BOTH, {}, 1) == (ONE,)
    assert cards_for(BOTH, visible(""), 2) == BOTH
    assert cards_for(BOTH, visible("1,0"), 1) == (TWO,)


@pytest.mark.parametrize("name", ["7", "GPU-9", "GPU-", "MIG-9", "-1", "NoDevFiles", "²"])
def test_a_name_that_nobody_has_claims_every_card(name: str) -> None:
    assert cards_for(BOTH, visible(name), 1) == BOTH


def test_a_beginning_that_two_cards_share_claims_every_card() -> None:
    assert cards_for((ONE, TWO, OTHER), visible("GPU-22"), 1) == (ONE, TWO, OTHER)


def test_an_index_says_nothing_where_cuda_may_order_by_speed() -> None:
    mixed = (ONE, TWO, OTHER)
    assert cards_for(mixed, visible("2"), 1) == mixed
    assert cards_for(mixed, visible("2", CUDA_DEVICE_ORDER="PCI_BUS_ID"), 1) == (OTHER,)


def test_an_index_says_nothing_where_mig_is_on() -> None:
    assert cards_for((ONE, CUT), visible("0"), 1) == (ONE, CUT)
    assert cards_for((CUT,), visible("0"), 1) == (CUT,)


def test_where_no_card_is_known_the_names_of_the_process_are_claimed() -> None:
    assert claims_of((), visible("3, 1"), 2) == ("gpu:3", "gpu:1")
    assert claims_of((), {}, 2) == ("gpu:0", "gpu:1")


def test_who_needs_no_gpu_claims_none() -> None:
    assert claims_of(BOTH, visible("0"), 0) == ()
    assert cards_for(BOTH, visible("0"), 0) == ()


@given(st.text(max_size=40), st.integers(1, 4))
def test_whatever_the_variable_says_some_card_is_claimed(text: str, count: int) -> None:
    found = cards_for((ONE, TWO, OTHER), visible(text), count)
    assert found
    assert set(found) <= {ONE, TWO, OTHER}


def test_the_bits_of_the_library_have_names() -> None:
    assert slowdowns_in(0) == ()
    assert slowdowns_in(0x1 | 0x20 | 0x400) == (Slowdown.IDLE, Slowdown.SOFTWARE_THERMAL)
    assert slowdowns_in(0x1FF) == tuple(Slowdown)


QUIET = Sighting(ONE.bus, slowdowns=(Slowdown.POWER_CAP, Slowdown.IDLE), before=0, during=0, after=0)


def test_a_quiet_card_a_power_cap_and_what_cannot_be_read_disturb_nothing() -> None:
    assert disturbance([[QUIET], [], [Sighting(ONE.bus)]]) == ""


@pytest.mark.parametrize("slowdown", [Slowdown.HARDWARE, Slowdown.SOFTWARE_THERMAL, Slowdown.HARDWARE_THERMAL, Slowdown.POWER_BRAKE])
def test_heat_and_a_weak_supply_disturb(slowdown: Slowdown) -> None:
    hot = Sighting(ONE.bus, slowdowns=(slowdown,))
    assert disturbance([[QUIET], [QUIET, hot]]) == f"GPU throttled: {slowdown.value} in 1 of 2 processes"


@pytest.mark.parametrize("when", ["before", "during", "after"])
def test_company_disturbs(when: str) -> None:
    said = disturbance([[Sighting(ONE.bus, **{when: 1})], [QUIET]])  # type: ignore[arg-type]
    assert said == "GPU shared: somebody else computed on it beside 1 of 2 processes"
