"""docs/configuration.md, made from the schema. A test holds the file to it and says how to write it anew."""

import json
import re
from collections.abc import Iterator
from typing import Any

from assay.core.config_schema import config_schema

EXAMPLE = """\
version: 1

machines:
  a100:
    runs_on: [self-hosted, gpu, a100]    # labels of the runners
    expect: {gpu: A100, count: 1}

benchmarks:
  pretrain-tiny:
    run: python bench/pretrain.py --steps 200 --seed {seed} --batch {batch}
    metric: {name: val_loss, better: lower, unit: nats, min_effect: 0.5%}
    guards:
      tokens_per_s: {better: higher, max_regression: 3%}
    secondary:
      peak_mem: {better: lower, unit: GiB}
    machine: a100
    gpus: 1
    setup: pip install -e .              # once per worktree, not timed
    checks: pytest -q tests/smoke        # must pass before anything is kept
    inputs: [data/shards/]               # ignored by git, linked read-only
    cache: [~/.cache/huggingface]
    env: {pass: [HF_HOME], set: {OMP_NUM_THREADS: 8}}
    seeds: [13, 42, 123, 777]
    batch: {size: 64, min: 16}
    timeout: 15m
    max_time: 1h30m
    model: gpt2-small
    precision: bf16
    watch:
      code: ["src/**"]
      harness: ["bench/**"]
      config: ["configs/*.toml"]
      environment: ["requirements*.txt", "Dockerfile"]

  tokenizer:
    run: python bench/tokenize.py
    metric: {name: mb_per_s, better: higher, min_effect: 2%}
    repeats: {min: 6, max: 16}

ignore: ["docs/**", "**/*.md", "LICENSE*"]
policy: {fail_on: [regressed, checks_failed, errored, undecided]}
reuse: {max_age: 14d}
"""

_INTRODUCTION = f"""\
# Configuration

<!-- Generated from the schema by assay.core.config_docs; edit the descriptions there. -->

Assay reads `.github/assay.yml`. A benchmark needs two keys, `run` and `metric`; everything else has a default.

```yaml
{EXAMPLE}```

`assay schema` prints the JSON Schema of this file. Save it and point your editor at it with a first line
`# yaml-language-server: $schema=…`.

## How values are written

| kind | written as | a bare number means |
|---|---|---|
| duration | `250ms`, `90s`, `10m`, `1h30m`, `14d`, `2w` | seconds |
| size | `64KB`, `1GB` (powers of 1000), `64KiB` (powers of 1024) | bytes |
| percentage | `1%` or the fraction `0.01` | a fraction, below 1 |
| pattern | as in `.gitignore`, from the top of the repository; the last one that matches decides, `!` takes back | |
| path | relative to the top of the repository, with `/`, without `..` | |

Quote a pattern that begins with `*`, and text that begins with one of `{{ [ & ! @ %` or holds a colon and a blank.

## What has no effect yet

One key belongs to a part that a later version brings: `git.lfs`. It is checked like all others and changes nothing today.

Others matter to a part of Assay only. Of `batch` all but `size` matters to [the queue](queue.md).
`needs`, `level`, `value`, `recheck`, `manual` and `alert` of a benchmark, `loop` and `publish` matter to the
[control loop](control-loop.md), `machines` and `machine` to that, to `assay plan` and `assay run`, and where a `runner` is named
to `assay check`, the rest of `git` to `assay experiment`, `comment`, `permissions`, `budget` and
`policy.harness_change` with `needs_review` on GitHub.

## What is refused

Every mistake is reported with its line, all of them together, and nothing is run: an unknown key or one that stands twice,
an empty value, anchors, aliases, merge keys and tags, a second document, nesting beyond 20 levels, a file over 64 KiB,
a negative or infinite limit, and a name of a credential under `env.pass`. `on`, `yes`, `1_000`, `1:30` and dates are text,
whatever older YAML made of them.

## Watched and ignored paths

A stored run is reused only while no path that bears on the benchmark has changed. A path bears on it when a group of its
`watch` covers it, and also when neither `watch` nor `ignore` does: what nobody has classified counts as relevant. `watch`
wins over `ignore`. Without `watch`, every path counts that is not ignored.
"""

_PLACES = {
    "MachineSpec": "machines.NAME",
    "Expect": "machines.NAME.expect",
    "SlurmSpec": "machines.NAME.slurm",
    "SshSpec": "machines.NAME.ssh",
    "Benchmark": "benchmarks.NAME",
    "PrimaryMetric": "benchmarks.NAME.metric",
    "GuardMetric": "benchmarks.NAME.guards.METRIC",
    "SecondaryMetric": "benchmarks.NAME.secondary.METRIC",
    "EnvConfig": "benchmarks.NAME.env",
    "SeedRange": "benchmarks.NAME.seeds",
    "Repeats": "benchmarks.NAME.repeats",
    "Batch": "benchmarks.NAME.batch",
    "Alert": "benchmarks.NAME.alert",
    "Pilot": "benchmarks.NAME.pilot",
    "Watch": "benchmarks.NAME.watch",
    "ReuseConfig": "reuse",
    "Policy": "policy",
    "GitConfig": "git",
    "CommentConfig": "comment",
    "FusionConfig": "fusion",
    "Price": "fusion.price",
    "Permissions": "permissions",
    "Budget": "budget",
    "AttemptsConfig": "attempts",
    "Invariants": "attempts.invariants",
    "LoopConfig": "loop",
    "PublishConfig": "publish",
}
_PLAIN_TEXT = re.compile(r"[A-Za-z~/][A-Za-z0-9_./ @{}~-]*")
_WORDS = frozenset({"true", "false", "null"})


def configuration_page() -> str:
    """The whole page."""
    schema = config_schema()
    sections = schema["$defs"]
    pages = [_section("The top of the file", schema, sections)]
    pages += [_section(f"`{place}`", sections[name], sections) for name, place in _PLACES.items()]
    return "\n".join([_INTRODUCTION, *pages])


def _section(title: str, schema: dict[str, Any], sections: dict[str, Any]) -> str:
    about = [schema["description"], ""] if "$defs" not in schema else []
    head = ["| key | type | default | what it does | example |", "|---|---|---|---|---|"]
    return "\n".join([f"## {title}", "", *about, *head, *_rows(schema, sections), ""])


def _rows(schema: dict[str, Any], sections: dict[str, Any]) -> Iterator[str]:
    for key, one in schema["properties"].items():
        default = "required" if key in schema.get("required", ()) else _default(one)
        example = f"`{key}: {flow(one['examples'][0])}`" if one.get("examples") else ""
        about = one.get("description") or sections[_name(one)]["description"]  # pydantic leaves it to the section where both are alike
        cells = (f"`{key}`", _type(one), default, about, example)
        yield "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _default(schema: dict[str, Any]) -> str:
    if "default" in schema and schema["default"] != []:
        return f"`{flow(schema['default'])}`"
    return "" if "$ref" in schema else "none"


def _type(schema: dict[str, Any]) -> str:
    if "$ref" in schema:
        return _link(schema)
    if "oneOf" in schema:
        return ", or ".join(_type(one) for one in schema["oneOf"])
    if "$comment" in schema:
        return str(schema["$comment"])
    if "enum" in schema:
        return ", ".join(f"`{one}`" for one in schema["enum"])
    if "const" in schema:
        return f"`{schema['const']}`"
    return _plain_type(schema)


def _plain_type(schema: dict[str, Any]) -> str:
    kind = schema["type"]
    if kind == "array":
        item = _type(schema["items"])
        return f"list of {item}" if item.startswith("`") else f"list of {item.replace(',', 's,', 1) if ',' in item else item + 's'}"
    if kind == "object":
        values = schema["additionalProperties"]
        return f"by name: {_type(values)}"
    if kind == "integer":
        return f"whole number{_bounds(schema)}"
    return {"boolean": "`true`, `false`"}.get(str(kind), "text")


def _bounds(schema: dict[str, Any]) -> str:
    low, high = schema.get("minimum"), schema.get("maximum", 2**31)
    if low is None:
        return ""
    return f", {low} to {high}" if high < 2**31 - 1 else f", at least {low}"


def _link(schema: dict[str, Any]) -> str:
    name = _name(schema)
    if name == "Direction":
        return "`lower`, `higher`"
    place = _PLACES[name]
    anchor = re.sub(r"[^a-z0-9_-]", "", place.lower())
    return f"[`{place}`](#{anchor})"


def _name(schema: dict[str, Any]) -> str:
    return str(schema["$ref"]).rsplit("/", 1)[1]


def flow(value: Any) -> str:
    """A value in YAML's flow style, on one line."""
    if isinstance(value, list | tuple):
        return "[" + ", ".join(flow(one) for one in value) + "]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {flow(one)}" for key, one in value.items()) + "}"
    plain = isinstance(value, str) and (_PLAIN_TEXT.fullmatch(value) or re.fullmatch(r"[0-9.]+(%|[A-Za-z]+)", value))
    return value if plain and value not in _WORDS else json.dumps(value, ensure_ascii=False)
