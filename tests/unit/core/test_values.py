"""Our `dataclass` makes what the library's would, save the text of its errors."""

import copy
import dataclasses
import pickle
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.core import values


class Plain:
    """Two fields, one with a default."""

    a: int
    b: str = "b"


class Made:
    """A factory, a field that is not compared, one that is not shown."""

    a: int
    b: list[int] = dataclasses.field(default_factory=list, compare=False)
    c: str = dataclasses.field(default="c", repr=False)


class Own:  # noqa: PLW1641 - the hash is what is looked at
    """With methods of its own, which stay."""

    a: int

    def __repr__(self) -> str:
        return f"own {self.a}"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, int)


class Checked:
    """Which refuses a value."""

    a: int

    def __post_init__(self) -> None:
        if self.a < 0:
            raise ValueError("negative")


class Empty:
    """Without any field."""


class Named:
    """With a field that is only given by name."""

    a: int = dataclasses.field(kw_only=True)


class Derived:
    """Whose second field has the place of a calculated one."""

    a: int
    b: int = dataclasses.field(init=False, default=2)


SHAPES = [Plain, Made, Own, Checked, Empty, Named, Derived]


def pair(shape: type) -> tuple[Any, Any]:
    """The class as the library makes it, and as we do."""

    def copied() -> Any:
        return type(shape.__name__, shape.__bases__, {k: v for k, v in vars(shape).items() if k not in ("__dict__", "__weakref__")})

    return dataclasses.dataclass(frozen=True, slots=True)(copied()), values.dataclass(frozen=True, slots=True)(copied())


def outcome(act: Callable[[], Any]) -> Any:
    """What comes of it, or the class of the error."""
    try:
        return act()
    except (AttributeError, TypeError, ValueError) as error:
        return type(error)


def seen(cls: Any, arguments: list[Any], named: dict[str, Any]) -> dict[str, Any]:
    """All that can be seen of a value."""
    one = outcome(lambda: cls(*arguments, **named))
    if isinstance(one, type):
        return {"error": one}
    return {
        "repr": repr(one),
        "values": [(field.name, getattr(one, field.name)) for field in dataclasses.fields(one)],
        "asdict": dataclasses.asdict(one),
        "equal": one == cls(*arguments, **named),
        "other": one == 1,
        "hash": outcome(lambda: hash(one) == hash(cls(*arguments, **named))),
        "replaced": outcome(lambda: repr(dataclasses.replace(one, a=7))),
        "changed": isinstance(outcome(lambda: setattr(one, "a", 1)), type),
        "deleted": isinstance(outcome(lambda: delattr(one, "a")), type),
        "copied": [copy.copy(one) == one, repr(copy.deepcopy(one)) == repr(one)],
        "pattern": cls.__match_args__,
        "slots": hasattr(one, "__dict__"),
    }


@pytest.mark.parametrize("shape", SHAPES)
@given(
    arguments=st.lists(st.integers(-1, 2), max_size=4),
    named=st.dictionaries(st.sampled_from(["a", "b", "c", "d"]), st.integers(-1, 2), max_size=3),
)
def test_a_value_is_what_the_library_makes(shape: type, arguments: list[Any], named: dict[str, Any]) -> None:
    library, ours = pair(shape)
    assert seen(ours, arguments, named) == seen(library, arguments, named)


@given(st.integers(), st.integers(), st.text(), st.text())
def test_values_are_equal_and_hashed_by_what_is_compared(one: int, other: int, text: str, another: str) -> None:
    for shape in (Plain, Made):
        library, ours = pair(shape)
        for cls in (library, ours):
            same = cls(one, text) == cls(other, another)
            assert same == (one == other and (text == another or shape is Made))
            assert not same or hash(cls(one, text)) == hash(cls(other, another))


def test_a_derived_class_has_the_fields_of_both() -> None:
    @values.dataclass(frozen=True, slots=True)
    class Base:
        a: int

    @values.dataclass(frozen=True, slots=True)
    class More(Base):
        b: int = 2

    assert repr(More(1)).endswith("More(a=1, b=2)")
    assert More(1) != Base(1)


def test_other_kinds_are_left_to_the_library() -> None:
    @values.dataclass(slots=True)
    class Open:
        a: int

    @values.dataclass(frozen=True, slots=True, order=True)
    class Ordered:
        a: int

    @values.dataclass
    class Bare:
        a: int = 1

    one = Open(1)
    one.a = 2
    assert (one, Ordered(1) < Ordered(2), Bare()) == (Open(2), True, Bare(1))


@values.dataclass(frozen=True, slots=True)
class Global:
    """One that pickling can find again."""

    a: int


def test_it_can_be_pickled() -> None:
    assert pickle.loads(pickle.dumps(Global(1))) == Global(1)
