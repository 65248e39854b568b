"""Texts of configs that tests begin with."""

FULL = """\
version: 1
machines:
  a100: {runs_on: [self-hosted, gpu, a100], expect: {gpu: A100, count: 1}}   # optional
benchmarks:
  train-small:
    run: python bench/train.py --seed {seed} --batch {batch}
    metric: {name: val_loss, better: lower, unit: nats, min_effect: 1%}      # or auto
    guards: {tok_s: {better: higher, max_regression: 5%}}
    format: metric
    machine: a100
    setup: pip install -e .
    isolate: auto
    checks: pytest -q tests/smoke
    inputs: [data/, ckpt/base.pt]
    cache: [~/.cache/huggingface]
    env: {pass: [HF_HOME], set: {OMP_NUM_THREADS: "1"}}
    workdir: .
    warmup: 1
    seeds: [13, 42, 123]                   # or {start: 13, min: 3, max: 10}
    repeats: {min: 4, max: 10}
    timeout: 10m
    max_time: 60m
    gpus: 1
    model: gpt2-small
    precision: bf16
    batch: {size: 128, min: 8, on_oom: halve, retries: 3, invariant: false}
    pilot: {run: python bench/train.py --steps 10, timeout: 2m}
    needs: [cuda]
    level: smoke
    value: frontier
    recheck: 14d
    manual: false
    watch: {code: [src/**], harness: [bench/**], model: [models/**], config: [configs/**], environment: [requirements*.txt, Dockerfile]}
ignore: ["docs/**", "**/*.md", "LICENSE*"]
reuse: {base: false, remeasure: 10, max_age: 30d}
policy: {mode: auto, alpha: 0.05, fail_on: [regressed, checks_failed, errored], harness_change: neutral, max_time: 2h}
git: {keep: auto, on_discard: auto, experiment_branches: ["experiment/**", "autoresearch/**"], allow: ["**"], max_file: 10MB,
      preserve: [autoresearch.jsonl, autoresearch.md, autoresearch.ideas.md, autoresearch.sh, autoresearch.checks.sh,
                 autoresearch.config.json, autoresearch.hooks/, .auto/]}
comment: {when: always}
fusion: {candidates: [offline:effect, offline:noise, offline:history], evaluator: offline, merger: offline, quorum: 2}
permissions: {run: write, forks: deny}
budget: {per_pr_runs: 20, per_person_day_runs: 40, per_day_gpu_minutes: 600}
max_concurrent: 2
"""

SMALL = """\
version: 1
benchmarks:
  bench:
    run: ./bench.sh
    metric: {name: t, better: lower}
"""
