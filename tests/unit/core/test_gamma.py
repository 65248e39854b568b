"""The derivatives of log Γ are those of SciPy."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special  # type: ignore[import-untyped]

from assay.core.gamma import digamma, trigamma, trigamma_inverse

positive = st.floats(1e-4, 1e6)


@given(positive)
def test_digamma_and_trigamma_agree_with_scipy(x: float) -> None:
    assert digamma(x) == pytest.approx(float(special.digamma(x)), rel=1e-10, abs=1e-12)
    assert trigamma(x) == pytest.approx(float(special.polygamma(1, x)), rel=1e-10)


@given(st.floats(1e-8, 1e9))
def test_the_inverse_of_trigamma_is_one(y: float) -> None:
    assert trigamma(trigamma_inverse(y)) == pytest.approx(y, rel=1e-3 if y > 1e6 else 1e-5)
