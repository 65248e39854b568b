"""Finds the numbers that a sentence states, with how each is written: digits, percent, times, counts of something, parts of names."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from assay.core.values import dataclass

_NUMBER = re.compile(
    r"(?P<sign>(?:(?<![\w.,)%])[+\-−–]\s?)?)"
    r"(?P<digits>(?:[0-9]{1,3}(?:[,'’ ][0-9]{3})+|[0-9]+)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]{1,3})?)"
)
_NAME_BEFORE = re.compile(r"[A-Za-z_][\w.:/@+-]*$|[\w]+[_:/@]$")
_NAME_AFTER = re.compile(r"[A-Za-z_0-9.:/@+-]*")
_PERCENT = re.compile(r"\s?(?:%|percent\b|per cent\b|percentage points?\b)", re.IGNORECASE)
_TIMES = re.compile(r"\s?(?:×|x\b|times\b|-?fold\b)", re.IGNORECASE)
_UNIT = re.compile(r"\s?(ns|us|µs|μs|ms|s|sec|secs|seconds?|milliseconds?|msec|microseconds?|min|mins|minutes?|h|hours?)\b")
_ADJECTIVES = (
    "more|earlier|further|further stored|stored|base|head|measured|counted|changed|other|interleaved|benchmark|fresh|separate"
    "|previous|new|relevant|available|past|prior|base and head|earlier base|earlier stored|added|inserted|removed|deleted|modified"
)
_NOUN = re.compile(
    rf"(?:\s(?:out )?of(?: all)?(?: the| its)?)?\s(?:(?:{_ADJECTIVES})\s){{0,2}}"
    r"(process|value|sample|measurement|repeat|repetition|seed|pair|run|session|warm-up|warmup|file|path|core|line)(?:e?s)?\b",
    re.IGNORECASE,
)
_ADDED, _REMOVED = r"add|insert|new\b", r"remov|delet"
_DIRECTION = rf"(?P<added>{_ADDED})|(?P<removed>{_REMOVED})"
_DONE_TO = re.compile(rf"(?:\s(?:of code|of|have|has|had|been|were|was|are|is)\b)*\s(?:{_DIRECTION})", re.IGNORECASE)
_DOING = re.compile(rf"\b(?:{_DIRECTION})\w*(?:\s(?:about|some|only|just))?\s$", re.IGNORECASE)
_LINE = re.compile(r"\blines?\b", re.IGNORECASE)
_CHANCE = re.compile(r"(?:\bp|\bp-values?|\bprobability)\b[^.,;0-9%]{0,24}$", re.IGNORECASE)
_OF = re.compile(r"\s+(?:of|as)\b")
_ABOUT = re.compile(
    r"\b(?:about|almost|nearly|roughly|around|approximately|some|close to|just (?:under|over)|(?:more|less|fewer) than|over|under)\s$",
    re.IGNORECASE,
)
_ROUND = re.compile(r"[1-9]0*|[1-9][0-9]?0+")
_N_EQUALS = re.compile(r"\bn\s?=\s?$")
_SUFFIX_SIDE = re.compile(
    r"^\s?(?:%|[A-Za-zµ/]{1,12})?\s?(?:,\s)?(?:on|at|for|in|of)\s(?:the\s)?(base|head|baseline)\b(?!\s(?:and|run))", re.IGNORECASE
)
_SIDE = re.compile(r"\b(base|baseline|head)\b(?!\s(?:run|commit))", re.IGNORECASE)
_WORDS = {
    **{word: value for value, word in enumerate(["three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"], 3)},
    "dozen": 12,
}
_WORD = re.compile(rf"\b({'|'.join(_WORDS)})\b(?=\s)", re.IGNORECASE)
_UNREAD = re.compile(
    r"\b(?:thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety"
    r"|(?:one|two|a|several|many) (?:hundred|thousand|million|billion)|hundreds|thousands|millions|hundredfold"
    r"|(?:by|one|two|three)[ -](?:a )?(?:half|thirds?|quarters?|fifths?|tenths?))\b(?! of\b)",
    re.IGNORECASE,
)
"""Numbers in words that are not worked out: only the digest's own words may have them."""

_RATIOS = {
    "twice": 2.0,
    "double": 2.0,
    "doubled": 2.0,
    "doubles": 2.0,
    "halved": 2.0,
    "halves": 2.0,
    "half as": 2.0,
    "half of": 2.0,
    "in half": 2.0,
    "triple": 3.0,
    "tripled": 3.0,
    "triples": 3.0,
    "quadrupled": 4.0,
    "tenfold": 10.0,
    "threefold": 3.0,
    "twofold": 2.0,
    "a third of": 3.0,
    "a quarter of": 4.0,
    "order of magnitude": 10.0,
}
_RATIO = re.compile(rf"\b({'|'.join(_RATIOS)})\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Written:
    """One number of a sentence. `part_of` is the name it stands in; `counts` the thing it is a number of; `side` whose it is.

    `chance` is whether it is called a p-value, `share_of` whether it is a percentage *of* something, `about` whether it is a
    round number that says so.
    """

    value: float
    start: int
    end: int
    decimals: int = 0
    exponent: int = 0
    signed: bool = False
    percent: bool = False
    times: bool = False
    in_words: bool = False
    chance: bool = False
    share_of: bool = False
    about: bool = False
    unit: str = ""
    counts: str = ""
    part_of: str = ""
    side: str = ""

    @property
    def unit_in_last_place(self) -> float:
        """Half of the last digit that is written, and a little more for what floats are."""
        return (0.5 + 1e-6) * 10.0 ** (self.exponent - self.decimals)

    @property
    def whole(self) -> bool:
        return self.decimals == 0 and self.exponent == 0


def mentions(sentence: str, names: Sequence[str]) -> list[tuple[int, str]]:
    """Where a sentence names which of these, longest names first so that none is found inside another."""
    found: list[tuple[int, str]] = []
    taken: list[tuple[int, int]] = []
    for name in sorted(set(names), key=len, reverse=True):
        for hit in re.finditer(rf"(?<![\w.-]){re.escape(name)}(?![\w-]|\.\w)", sentence, re.IGNORECASE):
            if not any(start <= hit.start() < end for start, end in taken):
                taken.append(hit.span())
                found.append((hit.start(), name))
    return sorted(found)


def unit_mentions(sentence: str, units: Mapping[str, str]) -> list[tuple[int, str]]:
    """Where a number is followed by the unit of which metric, for units that only one metric has."""
    found = []
    for name, unit in units.items():
        if unit and list(units.values()).count(unit) == 1:
            hits = re.finditer(rf"[0-9]\s?{re.escape(unit)}(?![\w/])", sentence)
            found += [(hit.start(), name) for hit in hits]
    return sorted(found)


def written_numbers(sentence: str, metrics: Sequence[str]) -> Iterator[Written]:
    """The numbers in their order. What is only the marker of a list item or a letter of a metric's name is none."""
    named = [(at, at + len(name)) for at, name in mentions(sentence, metrics)]
    found: list[Written] = []
    for hit in _NUMBER.finditer(sentence):
        inside = any(start <= hit.start("digits") < end for start, end in named)
        if not inside and not any(one.part_of and hit.start("digits") < one.end for one in found):
            found.append(_digits(sentence, hit))
    found += [_word(sentence, hit) for hit in _WORD.finditer(sentence) if _counts_something(sentence, hit.end())]
    found += [Written(_RATIOS[hit[1].lower()], *hit.span(), times=True, in_words=True) for hit in _RATIO.finditer(sentence)]
    found += [Written(0.0, *hit.span(), part_of=hit[0]) for hit in _UNREAD.finditer(sentence)]
    found += [Written(0.0, at, at + 1, part_of=sign) for at, sign in enumerate(sentence) if sign.isnumeric() and not sign.isascii()]
    ordered = sorted(found, key=lambda one: one.start)
    for before, one in zip((None, *ordered), ordered, strict=False):
        yield one if one.part_of else _of_side(one, sentence, before.end if before else 0)


def _digits(sentence: str, hit: re.Match[str]) -> Written:
    start, end = hit.start("digits"), hit.end()
    name = _name_around(sentence, start, end)
    if name:
        begin, text = name
        return Written(0.0, begin, begin + len(text), part_of=text)
    digits = re.sub(r"[,'’ ]", "", hit["digits"])
    mantissa, _, exponent = digits.lower().partition("e")
    sign = hit["sign"].strip()
    value = -float(digits) if sign in ("-", "−", "–") else float(digits)
    percent, times = _PERCENT.match(sentence, end), _TIMES.match(sentence, end)
    unit = None if percent or times else _UNIT.match(sentence, end)
    counts = "" if percent or unit or times else _counted(sentence, hit.start(), end)
    tail = percent or times or unit
    return Written(
        value=value,
        start=hit.start() if sign else start,
        end=tail.end() if tail else end,
        decimals=len(mantissa.partition(".")[2]),
        exponent=int(exponent or 0),
        signed=bool(sign),
        percent=bool(percent),
        times=bool(times),
        unit=unit[1] if unit else "",
        chance=bool(_CHANCE.search(sentence, 0, start)),
        about=bool(_ROUND.fullmatch(digits) and _ABOUT.search(sentence, 0, start)),
        share_of=bool(percent and _OF.match(sentence, percent.end())),
        counts=counts or ("value" if _N_EQUALS.search(sentence, 0, start) else ""),
    )


def _name_around(sentence: str, start: int, end: int) -> tuple[int, str] | None:
    """The name, id, version or date that the digits are a part of: glued to letters that are no unit, or dotted twice."""
    before = _NAME_BEFORE.search(sentence[:start])
    after = _NAME_AFTER.match(sentence, end)
    rest = after[0].rstrip(".:/+-") if after else ""
    if before:
        return before.start(), before[0] + sentence[start:end] + rest
    glued = rest and not _UNIT.fullmatch(rest) and not re.fullmatch(r"x|fold|-fold", rest)
    return (start, sentence[start:end] + rest) if glued else None


def _counts_something(sentence: str, end: int) -> bool:
    return any(pattern.match(sentence, end) for pattern in (_NOUN, _TIMES, _PERCENT))


def _word(sentence: str, hit: re.Match[str]) -> Written:
    times, percent = bool(_TIMES.match(sentence, hit.end())), bool(_PERCENT.match(sentence, hit.end()))
    counts = "" if times or percent else _counted(sentence, *hit.span())
    return Written(float(_WORDS[hit[1].lower()]), *hit.span(), times=times, percent=percent, counts=counts)


def _counted(sentence: str, start: int, end: int) -> str:
    """What a number counts, in the singular; of lines with whether they were added or removed, where that is said."""
    noun = _NOUN.match(sentence, end)
    if noun and noun[1].lower() != "line":
        return noun[1].lower()
    if noun:
        told = re.search(_DIRECTION, noun[0], re.IGNORECASE) or _DONE_TO.match(sentence, noun.end()) or _DOING.search(sentence[:start])
    else:  # 12 lines added, 4 removed
        told = (_DONE_TO.match(sentence, end) or _DOING.search(sentence[:start])) if _LINE.search(sentence) else None
    direction = told.lastgroup if told else ""
    return f"line {direction}" if direction else "line" if noun else ""


def _of_side(one: Written, sentence: str, since: int) -> Written:
    """The number with the side it is said of: named right after it, or last before it and after the number before."""
    after = _SUFFIX_SIDE.match(sentence[one.end :])
    between = sentence[since : one.start]
    if since and (belongs := _SUFFIX_SIDE.match(between)):
        between = between[belongs.end() :]
    sides = _SIDE.findall(between)
    side = after[1] if after else sides[-1] if sides else ""
    return replace(one, side=side.lower().replace("baseline", "base"))
