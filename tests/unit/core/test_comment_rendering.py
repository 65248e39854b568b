"""What we take for a command is something that a reader sees: held against the text of the page that a comment becomes."""

import re
from html.parser import HTMLParser

from hypothesis import example, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from assay.core.comment_lines import TRIGGER, commands_in

RUN = f"{TRIGGER} run"
HIDING = re.compile(
    "pre|code|kbd|samp|tt|xmp|script|style|details|dialog|iframe|noembed|noframes|noscript|object|option|select|template|textarea|"
    "title|audio|blockquote|canvas|del|head|math|q|rp|rt|s|strike|svg|video"
)
RENDER = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
BLOCKS = ("", "text", "> said", ">", "- item", "1. one", "  more", "\t", "***", "| a | b |", "|---|---|", "===", "---", "# head")
CODE = ("```", "````", "~~~", "   ```", "    ```", "`", "``", "a ` b", "\\`", "~~x", "x~~", "\\")
LEFT_OUT = ("<!--", "-->", "<!-- x -->", "<!-->", "<?", "?>", "<!X", ">", "<![CDATA[", "]]>")
TAGS = ("<div>", "</div>", "<pre>", "</pre>", "<details>", "</details>", "<b>x</b>", "x <q>", "</q>", "<script>", "</script>", "<br>")
CUT = ("<div title='", "'>", '<p title="', '">', "<a", "[x]: y", "[x", "]: /u", "[x](y", '"title', ")", "&lt;")
PIECES = st.one_of(st.just(RUN), *map(st.sampled_from, (BLOCKS, CODE, LEFT_OUT, TAGS, CUT)))


class Seen(HTMLParser):
    """The text outside every element that hides, quotes or crosses out its content."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.text: list[str] = []
        self.inside: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if HIDING.fullmatch(tag):
            self.inside.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag in self.inside:
            del self.inside[len(self.inside) - 1 - self.inside[::-1].index(tag) :]

    def handle_data(self, data: str) -> None:
        if not self.inside:
            self.text.append(data)


def seen(body: str) -> list[str]:
    """The lines of a rendered comment that a reader sees as the author's own."""
    page = Seen()
    page.feed(RENDER.render(body))
    page.close()
    return "".join(page.text).splitlines()


@settings(max_examples=600)
@given(st.lists(PIECES, max_size=12).map("\n".join))
@example(f"<div title='\n\n{RUN}\n\n'>")
@example(f"[x\n{RUN}\n]: /u")
def test_a_command_that_we_hear_is_one_that_a_reader_sees(body: str) -> None:
    heard = commands_in(body)
    visible = [line.strip() for line in seen(body)]
    assert sum(line.startswith(RUN) for line in visible) >= len(heard), RENDER.render(body)


def test_the_page_does_show_and_hide() -> None:
    assert seen(f"Hello\n{RUN}") == ["Hello", RUN]
    for body in (f"<pre>\n{RUN}\n</pre>", f"~~~\n{RUN}\n~~~", f"<!--\n{RUN}\n-->", f"> {RUN}"):
        assert RUN not in seen(body)
