"""`dataclass` as the standard library has it, but quick to apply where it makes a frozen class with slots.

For each such class the library writes, compiles and runs the text of six methods, and Assay has hundreds of them: that was a
quarter of all that a short check does. Here all of them share six methods, which look the fields up instead. To build a value
takes a little longer in return. All else of a dataclass (`replace`, `fields`, `asdict`, patterns) is the library's own.
"""

import dataclasses
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NoReturn

if TYPE_CHECKING:  # which checkers know by heart
    from dataclasses import dataclass as dataclass
else:

    def dataclass(cls=None, /, *, frozen=False, slots=False, **options):
        """As `dataclasses.dataclass`."""
        if not (frozen and slots) or options:
            return dataclasses.dataclass(cls, frozen=frozen, slots=slots, **options)
        return _frozen if cls is None else _frozen(cls)


_set = object.__setattr__


def _frozen(cls: type) -> type:
    if any(isinstance(one, dataclasses.Field) and (one.kw_only is True or not one.init) for one in vars(cls).values()):
        return dataclasses.dataclass(frozen=True, slots=True)(cls)  # ours are all given by place
    made: Any = dataclasses.dataclass(init=False, repr=False, eq=False, slots=True)(cls)
    own = dict(vars(made))
    for name, method in _SHARED.items():
        if own.get(name) is None:
            setattr(made, name, method)
    return made  # type: ignore[no-any-return]


def _init(self: Any, /, *values: Any, **named: Any) -> None:
    names = self.__match_args__
    if len(values) < len(names):
        values += tuple(_others(self, names[len(values) :], named))
    if named or len(values) > len(names):
        raise TypeError(f"{type(self).__name__} takes {', '.join(names)}; {len(values)} values and {', '.join(named)} are too much")
    for name, value in zip(names, values, strict=True):
        _set(self, name, value)
    if hasattr(self, "__post_init__"):
        self.__post_init__()


def _others(self: Any, names: tuple[str, ...], named: dict[str, Any]) -> Iterator[Any]:
    """The values of fields that were not given by place: by name, which is taken out of `named`, or their defaults."""
    for name in names:
        if name in named:
            yield named.pop(name)
            continue
        field = self.__dataclass_fields__[name]
        if field.default is not dataclasses.MISSING:
            yield field.default
        elif field.default_factory is not dataclasses.MISSING:
            yield field.default_factory()
        else:
            raise TypeError(f"{type(self).__name__} needs a value for {name}")


def _compared(self: Any) -> tuple[Any, ...]:
    return tuple(getattr(self, field.name) for field in dataclasses.fields(self) if field.compare)


def _eq(self: Any, other: object) -> bool:
    return _compared(self) == _compared(other) if other.__class__ is self.__class__ else NotImplemented


def _hash(self: Any) -> int:
    return hash(_compared(self))


def _repr(self: Any) -> str:
    shown = (f"{field.name}={getattr(self, field.name)!r}" for field in dataclasses.fields(self) if field.repr)
    return f"{type(self).__qualname__}({', '.join(shown)})"


def _refuse(self: Any, name: str, _: object = None) -> NoReturn:
    raise dataclasses.FrozenInstanceError(f"{name} of a {type(self).__name__} cannot be changed")


def _reduce(self: Any) -> tuple[type, tuple[Any, ...]]:
    """How to copy it: copying would else set one attribute after the other."""
    return type(self), tuple(getattr(self, name) for name in self.__match_args__)


_SHARED = {
    "__init__": _init,
    "__eq__": _eq,
    "__hash__": _hash,
    "__repr__": _repr,
    "__setattr__": _refuse,
    "__delattr__": _refuse,
    "__reduce__": _reduce,
}
