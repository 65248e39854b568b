"""What is put to an analyst, and what comes back: the documents of each stage, built so that nobody learns whose text is whose."""

from collections.abc import Mapping, Sequence

from assay.core import canonical
from assay.core.fusion.budget import ANSWER_TOKENS
from assay.core.fusion.evaluation import Evaluation
from assay.core.fusion.failure import Stage
from assay.core.fusion.usage import Usage
from assay.core.values import dataclass

BLIND_SCHEMA = "assay.blind-candidates/1"
MERGE_SCHEMA = "assay.merge-input/1"
REPAIR_SCHEMA = "assay.evaluation-repair/1"

INSTRUCTIONS = ("candidate", "evaluation", "repair", "merge")
"""The instructions that ship with the package, by name."""


@dataclass(frozen=True, slots=True)
class Ask:
    """One question: what is to be done, and the JSON document that it is to be done with."""

    stage: Stage
    instructions: str
    document: str
    seconds: float

    @property
    def prompt(self) -> str:
        """Both in one, for whoever has no place for instructions of their own."""
        return f"{self.instructions.rstrip()}\n\n{self.document}\n"

    @property
    def answer_tokens(self) -> int:
        return ANSWER_TOKENS[self.stage]


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer, what it cost, and the model that gave it, as far as that is known."""

    text: str
    usage: Usage = Usage()
    model: str | None = None


def blind_document(digest: Mapping[str, object], answers: Mapping[str, str]) -> str:
    """The answers under their letters, in the order of the letters, beside the input that all of them had."""
    return canonical.compact(_blind(digest, answers))


def merge_document(digest: Mapping[str, object], answers: Mapping[str, str], evaluation: Evaluation) -> str:
    """The same with the evaluation."""
    return canonical.compact({**_blind(digest, answers), "schema": MERGE_SCHEMA, "evaluation": evaluation.to_json()})


def repair_document(blind: str, invalid: str, errors: Sequence[str]) -> str:
    """What the evaluator was given, what it answered, and what was wrong with that."""
    return canonical.compact(
        {
            "schema": REPAIR_SCHEMA,
            "original_blind_input": canonical.loads(blind),
            "invalid_output": invalid,
            "validation_errors": list(errors),
        }
    )


def _blind(digest: Mapping[str, object], answers: Mapping[str, str]) -> dict[str, object]:
    candidates = [{"candidate_id": who, "response": answers[who]} for who in sorted(answers)]
    return {"schema": BLIND_SCHEMA, "canonical_input": dict(digest), "candidates": candidates}
