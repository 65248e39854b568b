"""Where our comment on a pull request stands, so that it need not be looked for among thousands."""

from typing import Annotated, Final, Literal

from pydantic import Field

from assay.core.record import Envelope
from assay.core.store_layout import pointer_path

POINTER_SCHEMA: Final = "assay.comment/1"


class CommentPointer(Envelope):
    """The id of our sticky comment on a pull request. A hint and no proof: the forge is asked whose it is before it is touched."""

    schema_: Literal["assay.comment/1"] = Field(default=POINTER_SCHEMA, alias="schema")
    pull: Annotated[int, Field(ge=1)]
    comment: Annotated[int, Field(ge=1)]

    @property
    def path(self) -> str:
        """Where a store keeps it, from the store's root."""
        return pointer_path(self.pull)
