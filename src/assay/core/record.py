"""What every stored record has in common: it is strict, frozen and complete, and it has one text form.

No key is ever left out. A fact that could not be read is the text `unknown`, one that does not apply is `none`; `null`
stands only where a value does not exist at all (no cause, no seed, no base). Reading forbids unknown keys even within
the version that we know: what a newer release adds may change what the rest means, and evidence that is not wholly
understood is measured again rather than trusted.
"""

from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from assay.core.canonical import loads, pretty

Unknown = Literal["unknown"]
Absent = Literal["none", "unknown"]
Fact = Annotated[str, StringConstraints(min_length=1)]
Count = Annotated[int, Field(ge=0)]


class Record(BaseModel):
    """A frozen value with no unknown key, no number that is not finite and no silent conversion."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)


class Envelope(Record):
    """What both kinds of stored file share: a schema that is checked first, one text form, errors with a reason."""

    def to_json(self) -> str:
        """The text of the file, without a final line break: sorted keys, every key present, finite numbers."""
        return pretty(self.model_dump(mode="json", by_alias=True))

    @property
    def path(self) -> str:
        """Where a store keeps it, from the store's root."""
        raise NotImplementedError

    @classmethod
    def from_json(cls, text: str) -> Self:
        """The value that a file holds. Raises ValueError, with the reason in one line, for anything but a whole one."""
        members = loads(text)
        wanted = cls.model_fields["schema_"].default
        found = members.get("schema") if isinstance(members, dict) else None
        if found != wanted:
            raise ValueError(f"its schema is {found!r}, not {wanted!r}")
        try:
            return cls.model_validate_json(text)
        except ValidationError as error:
            raise ValueError(first_reason(error)) from error


def first_reason(error: ValidationError) -> str:
    """What is wrong first, and where, in one line."""
    first = error.errors(include_url=False, include_input=False)[0]
    place = ".".join(str(step) for step in first["loc"])
    more = error.error_count() - 1
    return f"{place}: {first['msg']}" + (f" (and {more} more)" if more else "")
