"""The offline route: analysts, evaluator and merger as functions of the digest. No key, no network, no cost."""

from typing import Any

from assay.core import canonical
from assay.core.fusion.answer import write_answer
from assay.core.fusion.evaluation import Invalid, read_evaluation
from assay.core.fusion.exchange import Ask, Reply
from assay.core.fusion.failure import AnalysisError, Code, Stage
from assay.core.fusion.narrative import OFFLINE
from assay.core.fusion.offline_evaluate import evaluate
from assay.core.fusion.offline_merge import merge
from assay.core.fusion.routes import Route


class OfflineAnalyst:
    """Satisfies `analysis_ports.Analyst`."""

    def __init__(self, route: Route) -> None:
        self._route = route

    async def answer(self, ask: Ask) -> Reply:
        """The answer to the document of a stage, which is always one of ours."""
        document: Any = canonical.loads(ask.document)
        if ask.stage is Stage.CANDIDATE:
            return Reply(write_answer(OFFLINE[self._route.words[0]](document)))
        digest = document["canonical_input"]
        answers = {one["candidate_id"]: one["response"] for one in document["candidates"]}
        if ask.stage is Stage.EVALUATION:
            return Reply(canonical.compact(evaluate(digest, answers).to_json()))
        evaluation = read_evaluation(canonical.compact(document["evaluation"]), tuple(answers))
        if isinstance(evaluation, Invalid):
            raise AnalysisError(Code.EVALUATION_INVALID, f"The evaluation is not valid: {evaluation.errors[0]}")
        return Reply(write_answer(merge(digest, answers, evaluation)))
