"""A machine whose facts a test chooses."""

from collections.abc import Mapping
from dataclasses import dataclass

from tests.fakes.runs import ENVIRONMENT, MACHINE

from assay.core.facts import EnvironmentFacts, MachineFacts, PythonFacts


@dataclass(slots=True)
class FakeMachine:
    """Satisfies `ports.Machine`."""

    machine: MachineFacts = MACHINE
    surroundings: EnvironmentFacts = ENVIRONMENT
    interpreter: PythonFacts = PythonFacts(implementation="CPython", version="3.11.7", dependencies={})  # noqa: RUF009 a frozen value

    def facts(self) -> MachineFacts:
        return self.machine

    def environment(self) -> EnvironmentFacts:
        return self.surroundings

    def python(self, env: Mapping[str, str]) -> PythonFacts:
        return self.interpreter
