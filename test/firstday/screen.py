# SPDX-License-Identifier: Apache-2.0
"""A terminal's screen that supports what simple programs use: cursor left and down, clearing a line, wrapping; colours are ignored.

Any other sequence that would move, clear or name something is kept in `strange`.
"""

import re
import unicodedata

PIECE = re.compile(r"\x1b\[([?0-9;]*)([A-Za-z])|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b.|.", re.DOTALL)


class Screen:
    def __init__(self, columns):
        self.columns = columns
        self.rows = [[]]
        self.column = 0
        self.strange = []

    def write(self, text):
        for piece in PIECE.finditer(text):
            self._take(piece)
        return self

    def lines(self):
        return ["".join(row).rstrip() for row in self.rows]

    def _take(self, piece):
        text = piece.group()
        if text == "\n":
            self.rows.append([])
        elif text == "\r":
            self.column = 0
        elif text == "\b":
            self.column = max(0, self.column - 1)
        elif text == "\t":
            self.column = min(self.columns - 1, self.column // 8 * 8 + 8)
        elif piece.group(2) == "K":
            del self.rows[-1][0 if piece.group(1) == "2" else self.column:]
        elif piece.group(2) == "m":
            pass
        elif text[0] == "\x1b" or unicodedata.category(text[0]) == "Cc":
            self.strange.append(text)
        else:
            self._put(text)

    def _put(self, character):
        if unicodedata.combining(character):
            return
        width = 2 if unicodedata.east_asian_width(character) in "WF" else 1
        if self.column + width > self.columns:
            self.rows.append([])
            self.column = 0
        row = self.rows[-1]
        row.extend(" " * (self.column - len(row)))
        row[self.column:self.column + width] = [character] + [""] * (width - 1)
        self.column += width
