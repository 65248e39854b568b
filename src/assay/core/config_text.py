"""The text of `.github/assay.yml` to a Config, or to an error that names every problem with its line."""

from pydantic import ValidationError

from assay.core.config import Benchmark, Config
from assay.core.config_problems import ConfigError, Problem
from assay.core.config_sentences import problems_of
from assay.core.config_shape import shape
from assay.core.yaml_problems import YamlError
from assay.core.yaml_tree import MAX_BYTES, Reading, Table, read_tree

CONFIG_FILE = ".github/assay.yml"
ADHOC_NAME = "command"


def parse_config(text: str, file: str = CONFIG_FILE) -> Config:
    """Read and check a config. `file` is only for messages.

    Raises ConfigError, which is a UsageError, for anything that is wrong with it.
    """
    try:
        reading = read_tree(text)
    except YamlError as error:
        raise ConfigError(file, [Problem(error.line, (), error.text)]) from error
    root = reading.root
    if not isinstance(root, Table):
        raise ConfigError(file, [Problem(root.line, (), "the file must be a mapping that begins with version: 1")])
    return _validated(reading, root, file)


def decode_config(content: bytes, file: str = CONFIG_FILE) -> str:
    """The text of a config file. Raises ConfigError where it is too large or no UTF-8."""
    if len(content) > MAX_BYTES:
        raise ConfigError(file, [Problem(1, (), f"the file is over {MAX_BYTES // 1024} KiB")])
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise ConfigError(file, [Problem(line, (), "the file is not UTF-8")], hint="Save it as UTF-8.") from error


def _validated(reading: Reading, root: Table, file: str) -> Config:
    data, problems = shape(root)
    problems += [Problem(problem.line, problem.path, problem.text) for problem in reading.problems]
    try:
        config = Config.model_validate(data)
    except ValidationError as error:
        raise ConfigError(file, [*problems, *problems_of(error, root)]) from error
    if problems:
        raise ConfigError(file, problems)
    return config


def adhoc_config(command: str) -> Config:
    """The config of `assay check --run COMMAND`: one benchmark, `command`, whose metric is found when it runs.

    Raises ConfigError for an empty command or one with a placeholder that nothing fills.
    """
    try:
        return Config(version=1, benchmarks={ADHOC_NAME: Benchmark(name=ADHOC_NAME, run=command)})
    except ValidationError as error:
        raise ConfigError("--run", problems_of(error, None), hint="Seeds and a batch size need a config: .github/assay.yml.") from error
