"""The words by which a text claims something, as patterns: what was found, which way it went, what shall become of the change."""

import re
from re import Pattern

from assay.core.model import Verdict


def words(*alternatives: str) -> Pattern[str]:
    """Any of these as whole words, whatever their case."""
    return re.compile(rf"\b(?:{'|'.join(alternatives)})\b", re.IGNORECASE)


CLAIMS = {
    Verdict.IMPROVED: words(
        *("improv(?:ed|es|ement|ements|ing)", "better", "faster", "quicker", "speed-?ups?", "sped up", "gains?", "gained", "wins?"),
        *("snappier", "ahead of base", "pays off", "paid off", "a success"),
        *("a win", "progress", "outperforms?", "outperformed", "beats base", "beat base"),
    ),
    Verdict.REGRESSED: words(
        *("regress(?:ed|es|ion|ions|ing)?", "worse", "worsened", "worsens", "slower", "slow-?downs?", "slowed", "degrad(?:ed|es|ation)"),
        *("harms", "harmed", "hurts", "takes? longer", "took longer(?! than (?:the|its) (?:timeout|limit))", "a disaster"),
        *("deteriorat(?:ed|es|ion)", "loss of (?:speed|performance|quality)", "underperforms?", "setback"),
    ),
    Verdict.UNCHANGED: words(
        *("unchanged", "unaffected", "stayed the same", "the same as before", "flat", "identical", "no (?:real|true) (?:change|effect)"),
        *("no (?:measurable|practical|relevant|significant|meaningful) (?:difference|change|effect)", "no (?:difference|change|effect)"),
        *("made no difference", "has no effect", "had no effect"),
    ),
}
"""What a text says was found."""

UP = words(
    *("rose", "rises", "risen", "increas(?:ed|es|e|ing)", "grew", "grows", "climbed", "climbs", "went up", "goes up", "jumped", "higher"),
    *("up by", "(?:is|was|are|were) up", "soared", "soars", "surged", "shot up", "bigger", "above base"),
)
DOWN = words(
    *("fell", "falls", "fallen", "decreas(?:ed|es|e|ing)", "dropped", "drops", "declined", "shrank", "shrinks", "went down", "goes down"),
    *("sank", "reduced", "reduces", "lower(?:ed)?", "down by", "cut by", "(?:is|was|are|were) down"),
    *("plummeted", "plunged", "slumped", "shot down", "below base"),
)

KEEP = words(
    *("(?:may|should|can|must) (?:stay|be kept|be merged|merge|keep|ship|land)", "keep (?:it|the change|this change|this)"),
    *("merge (?:it|this|the change)", "(?:safe|ready|fine|good|ok|okay) to (?:merge|keep|ship|land|go)", "(?:was|is|be) kept"),
    *("approve (?:it|the change|this)", "ship it", "lgtm", "looks good to me", "accept (?:it|this)", "(?:may|should|can) go in"),
    *("(?:decision|outcome|verdict)(?: is|:) (?:to )?keep", "policy keeps", "passes the gate"),
)
DROP = words(
    *("(?:should|must|may|can) (?:not|never) (?:stay|be kept|be merged|merge|ship|land)", "revert (?:it|the change|this)"),
    *("(?:should|must) (?:be discarded|be reverted|go|be dropped|be rejected)", "discard (?:it|the change|this)"),
    *("(?:throw|back) (?:it|this|the change) out", "(?:must|should) be rolled back", "roll (?:it|this|the change) back", "please revert"),
    *(
        "close (?:this|the) pull request",
        "(?:do not|don't) (?:accept|keep|approve)",
        "(?:decision|outcome|verdict)(?: is|:) (?:to )?discard",
    ),
    *("policy discards", "revert this"),
    *("reject (?:it|the change|this)", "(?:was|is) (?:discarded|rejected)", "do not merge", "don't merge", "drop the change"),
)

NOT = r"(?:not|no|never|without|nor|neither|hardly|isn't|didn't|doesn't|wasn't|hasn't|don't|shouldn't|far from|nothing|none|any|against)"

KEEP_SAID_ALONE = re.compile(r"^\W*(?:please )?(?:merge|approve|accept|keep|ship)(?: (?:it|this|the change|now))*\W*$", re.IGNORECASE)
DROP_SAID_ALONE = re.compile(r"^\W*(?:please )?(?:revert|reject|discard|drop|undo)\W*$", re.IGNORECASE)

NOT_IMPROVED = words("(?:not|never|didn't|doesn't) improve")
NOT_REAL = words(
    *("(?:is|was|are|were) (?:pure |only |just |all |mere |merely )?(?:within )?(?:the )?noise", "(?:is|was) not real", "an illusion"),
    *("(?:is|was) not (?:statistically )?significant", "(?:is|was|stays|remains) undecided"),
)
"""What denies a change that was found."""

LIMIT_BROKEN = words(
    "(?:exceed(?:ed|s)?|violat(?:ed|es)|broke|breaks|breach(?:ed|es)?) (?:its|the|that) (?:limit|guard|allowance)",
    *("guard [\\w.-]+ (?:has |is |was )?(?:failed|fails|violated|broken)", "limit of [\\w.-]+ (?:is|was) (?:broken|exceeded|violated)"),
)
"""What says that a guard did not hold."""

NO_DENIAL = words("(?:no|without|beyond|any) (?:any )?(?:doubt|question)(?: that)?", "not only", "no less than", "nothing less than")
"""What has a word of denial in it and denies nothing."""

POSSIBLE = words(
    *("if", "unless", "whether", "would", "could", "might", "may", "can", "cannot", "in case", "provided", "suppose", "assuming"),
    *("excluded?", "excludes", "excluding", "rules? out", "ruled out", "above", "beyond", "limit", "allow(?:s|ed)?", "look for", "watch"),
    *(
        "risk of",
        "not known",
        "nothing is known",
        "unknown",
        "open",
        "settle",
        "hypothetically",
        "to accept",
        "only improvements",
        "harm of",
        "smaller harm",
        "possibly",
        "possible",
        "anything",
        "read",
    ),
)
"""What makes a clause no claim: it speaks of a possibility, a rule or a limit."""

SUPPOSED = re.compile(r"\b(?:possible|possibly|perhaps|maybe|known|say|says|mean|means|case|prove|proof)(?:\s+that)?\W*$", re.IGNORECASE)
"""What before a subject makes of its claim no more than a thought."""

SLIGHTLY = words("slightly", "a little", "a bit", "marginally", "barely", "a touch", "minimally", "just under")

CONDITION = words("if", "unless", "once", "until", "whether", "when", "after", "or", "before")

OF_SINGLE_RUNS = re.compile(
    r"\b(?:head|base) values?\b|\bstored runs?\b|\bevery single\b|\bof all pairs\b|\bearlier\b|\bthe best was\b|\bbest before\b",
    re.IGNORECASE,
)
"""A clause about single values or about the past says nothing of the verdict."""

OF_MEASURING = words(
    *("machine", "benchmark", "quieter", "noise", "noisy", "noisier", "evidence", "answer", "precision", "resolution", "confidence"),
    *("spreads?", "deviation", "variance", "number of", "amount", "p-value", "half-width", "interval", "drifts?", "outliers?"),
)
"""A clause about the measuring may call that better or lower without a word about the change."""

OF_THE_METRIC = re.compile(r"\b(?:lower|higher)[- ](?:is[- ])?(?:better|worse)\b", re.IGNORECASE)
"""`lower is better` is about the metric."""
