"""Adjusted p-values are Holm's, and hold against the level of the policy whatever look they come from."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.build import comparison, guard, secondary

from assay.core.family import adjusted, expected_false_alarms, holm, judged_families

ps = st.lists(st.floats(0, 1), min_size=1, max_size=8)


def test_holm_is_the_textbooks() -> None:
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([]) == ()


@given(ps)
def test_adjusting_keeps_the_order_and_never_makes_smaller(values: list[float]) -> None:
    found = holm(values)
    assert all(one >= value for one, value in zip(found, values, strict=True))
    order = sorted(range(len(values)), key=lambda index: values[index])
    assert [found[index] for index in order] == sorted(found)
    assert max(found) <= 1.0
    assert holm(values[:1]) == (values[0],)


def test_the_family_is_the_primary_and_the_guards() -> None:
    found = adjusted(
        [comparison("a: 1 | 2", p=0.01), guard("b: 1 | 2", p=0.03), secondary("c: 1 | 2", p=0.04), guard("d: 1 |", p=None)], 1.0
    )
    assert [one.p_adjusted for one in found] == [pytest.approx(0.02), pytest.approx(0.03), None, None]


def test_a_look_that_could_spend_a_fifth_makes_p_five_times_larger() -> None:
    (found,) = adjusted([comparison("a: 1 | 2", p=0.004)], 0.2)
    assert found.p_adjusted == pytest.approx(0.02)


def test_the_false_alarms_of_a_check_add_up() -> None:
    judged = [[comparison("a: 1 | 2")], [comparison("b: 1 |", p=None)], [secondary("c: 1 | 2")], [guard("d: 1 | 2")]]
    assert judged_families(judged) == 2
    assert expected_false_alarms(2, 0.05) == pytest.approx(0.1)
