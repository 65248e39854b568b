"""What an analysis may spend: every limit in one place, and checked before anybody is asked."""

import json

from assay.core.fusion.failure import AnalysisError, Code, Stage
from assay.core.values import dataclass

BYTES_A_TOKEN = 2
"""Fewer bytes than any tokenizer puts into a token on average, so that tokens are bounded from above."""

DIGEST_BYTES = 48 * 1024
STDOUT_BYTES, STDERR_BYTES = 32 * 1024 * 1024, 4 * 1024 * 1024
"""What a child may print before it is killed; an answer is far smaller."""

ANSWER_BYTES = {Stage.CANDIDATE: 24 * 1024, Stage.EVALUATION: 32 * 1024, Stage.MERGE: 24 * 1024}
"""The largest answer of each stage, as JSON text, for that is how the next stage reads it."""

ANSWER_TOKENS = {stage: size // 4 for stage, size in ANSWER_BYTES.items()}
"""What a model is told to stop at."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What the config says: input tokens of one prompt, seconds of one attempt."""

    input_tokens: int = 120_000
    seconds: float = 300.0


def json_bytes(text: str) -> int:
    """The bytes of a text once it stands in a JSON document."""
    return len(json.dumps(text, ensure_ascii=False).encode("utf-8", "surrogatepass"))


def token_bound(text: str) -> int:
    """More tokens than any model makes of the text."""
    return -(-len(text.encode("utf-8", "surrogatepass")) // BYTES_A_TOKEN)


def check_prompt(stage: Stage, prompt: str, limits: Limits) -> None:
    """Raise AnalysisError for a prompt beyond the limit: before it is sent, not after it is paid for."""
    bound = token_bound(prompt)
    if bound > limits.input_tokens:
        raise AnalysisError(
            Code.PROMPT_BUDGET_EXCEEDED,
            f"The prompt of the {stage.value} may have up to {bound} tokens, more than the {limits.input_tokens} that are allowed.",
            hint="Raise `fusion.max_input_tokens` where the model takes more.",
            child_created=False,
        )


def check_answer(stage: Stage, text: str) -> None:
    """Raise AnalysisError for an answer that is empty or too large. It is never cut: half a sentence may say the opposite."""
    if not text.strip():
        raise AnalysisError(Code.CHILD_EVENT_INVALID, f"The {stage.value} answered with nothing.")
    size = json_bytes(text)
    if size > ANSWER_BYTES[stage]:
        raise AnalysisError(
            Code.CHILD_OUTPUT_CAP, f"The {stage.value} answered with {size} bytes, more than the {ANSWER_BYTES[stage]} that are allowed."
        )


def plan(prompt_bytes: int, candidates: int, limits: Limits) -> dict[str, object]:
    """The most that each stage can take in, for the manifest's folder: what was planned stands there also when it was refused."""
    answers = candidates * ANSWER_BYTES[Stage.CANDIDATE]
    sizes = {
        Stage.CANDIDATE: prompt_bytes,
        Stage.EVALUATION: prompt_bytes + answers,
        Stage.MERGE: prompt_bytes + answers + ANSWER_BYTES[Stage.EVALUATION],
    }
    return {
        "schema": "assay.analysis-budget/1",
        "input_tokens_allowed": limits.input_tokens,
        "seconds_an_attempt": limits.seconds,
        "stages": {
            stage.value: {"input_tokens_at_most": -(-size // BYTES_A_TOKEN), "answer_bytes_at_most": ANSWER_BYTES[stage]}
            for stage, size in sizes.items()
        },
    }
