# SPDX-License-Identifier: Apache-2.0
"""How texts read: words that docs/GLOSSARY.md replaced, phrases that had to be read twice, and the size and links of pages (docs/design/style.md)."""

import pathlib
import re

from tree import Problem

MOST_WORDS = 900   # of a page of docs/guide or docs/reference
MOST_LINES = 150   # of README.md
MOST_WORDS_OF = {"docs/design/architecture.md": 700}
USER_PAGES = ("docs/guide/", "docs/reference/")

# (pattern, what to write). Each was found in a text of ours that a reader misunderstood.
PHRASES = [
    (r"\b(?:is|are|was|were) to be had\b", "`is available`"),
    (r"\bcosts? a blink\b|\ba blink\b", "a duration with its unit"),
    (r"\bbooks (?:are|were) closed\b", "what is written, and when"),
    (r"\bdie[sd]? of\b", "`ends because of`, or the signal"),
    (r"\blets? go of\b", "`releases`"),
    (r"\bstands? in (?!for\b)", "`is in`"),
    (r"\b(?:say|says|said|saying) hello\b", "`reports`, `has reported`"),
    (r"\bhow manyth\b", "`1-based number of`"),
    (r"\bhears? (?:of|that|it|for|from)\b|\bis heard of\b", "`is told`, `receives`"),
    (r"\bof so long ago\b", "`in the last DURATION`"),
    (r"\bthe kernel's word\b", "what the kernel reports"),
    (r"\bcounted in looks\b", "the unit: seconds"),
    (r"\b(?:send|sends|sent|sending) away\b", "`dismiss`"),
    (r"\blast words\b", "`failure message`"),
    (r"\bby (?:its|their) make\b", "what it depends on"),
    (r"\bis no (?:more|longer) ours\b", "who owns it"),
    (r"(?:^|//[/!]? |\. |^# )Who (?!am\b)(?![^.]*\?)(?=[a-z])", "the actor as the subject: `A client that …`, `The user who …`"),
]
# Old names, and the terms that replaced them.
NAMES = [
    (r"deput(?:y|ies)", "coordinator proxy"),
    (r"vigils?", "watchdog"),
    (r"lookouts?", "busy polling"),
    (r"couriers?", "output uploader"),
    (r"surroundings", "caller context"),
    (r"farewells?", "shutdown"),
    (r"in doubt", "unreachable"),
    (r"(?:worker|rendezvous|guest|timer)[ _]desks?", "server"),
]
HISTORY = r"(?<!is )(?<!are )(?<!be )\bused to be\b|\bformerly\b|\bin earlier versions\b|\bwas slower\b|\buntil (?:this|the last) release\b"
LINK = r"\]\(([^)\s]+)\)"


def prose_lines(file):
    """(number, text) of each line that may hold words of ours; a document's examples of bad style are marked with `old:`."""
    for number, line in enumerate(file.lines, 1):
        if "old:" not in line:
            yield number, line


ANY = re.compile("|".join([*(f"(?:{pattern})" for pattern, _ in PHRASES), *(f"(?i:{name})" for name, _ in NAMES)]))


def check_phrases(file):
    for number, line in prose_lines(file):
        if not ANY.search(line):
            continue
        for pattern, instead in PHRASES:
            if re.search(pattern, line):
                yield Problem(file.path, number, "phrase", f"write {instead}: docs/design/style.md, Words")
        for name, term in NAMES:
            if re.search(rf"(?<![A-Za-z]){name}(?![A-Za-z])", line, re.IGNORECASE):
                yield Problem(file.path, number, "term", f"the term is `{term}`: docs/GLOSSARY.md")


def check_page(root, file):
    words = len(file.text.split())
    most = MOST_WORDS_OF.get(file.path, MOST_WORDS if file.path.startswith(USER_PAGES) else None)
    if most is not None and words > most:
        yield Problem(file.path, 1, "page", f"{words} words, {most} at most: split it by task, or move internals to docs/design")
    if file.path == "README.md" and len(file.lines) > MOST_LINES:
        yield Problem(file.path, 1, "page", f"{len(file.lines)} lines, {MOST_LINES} at most: move detail to docs")
    for number, line in enumerate(file.lines, 1):
        if file.path.startswith(USER_PAGES) and re.search(HISTORY, line):
            yield Problem(file.path, number, "page", "no history in a user page: docs/lab, a decision or the commit has it")
        for target in re.findall(LINK, line):
            path = target.split("#")[0]
            if path and "://" not in path and not path.startswith("mailto:"):
                if not (pathlib.Path(root) / file.path).parent.joinpath(path).exists():
                    yield Problem(file.path, number, "link", f"{target} leads nowhere")


def check(root, files):
    for file in files:
        if file.path.startswith("test/layering/"):
            continue  # these files quote what they look for
        yield from check_phrases(file)
        if file.path.endswith(".md"):
            yield from check_page(root, file)
