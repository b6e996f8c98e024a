# SPDX-License-Identifier: Apache-2.0
"""bash, zsh and fish in a terminal, with muster's completion: the command line after the Tab key."""

import os
import re

import pexpect

from waiting import PATIENCE

PROMPT = "ready> "
DUMP = "\x18d"  # Ctrl-X d is bound to print the current line

BASH = r"""
bind 'set show-all-if-ambiguous on'; bind 'set bell-style none'; bind 'set page-completions off'; bind 'set completion-query-items 0'
bind 'set enable-bracketed-paste off'
dump() { echo "LINE<$READLINE_LINE>"; }; bind -x '"\C-xd": dump'
source <(muster completion bash)
PS1='ready> '
"""
ZSH = r"""
autoload -Uz compinit && compinit -u -D
source <(muster completion zsh)
setopt no_beep auto_list no_list_ambiguous
zstyle ':completion:*' list-prompt ''
LISTMAX=0
dump() { zle -I; print -r -- "LINE<$BUFFER>" }; zle -N dump; bindkey '^Xd' dump
PROMPT='ready> '
"""
FISH = r"""
function fish_prompt; echo -n 'ready> '; end
function fish_greeting; end
function dump; echo; echo "LINE<"(commandline)">"; commandline -f repaint; end
bind \cxd dump
muster completion fish | source
"""
WORDS = {"bash": ["bash", "--noprofile", "--norc"], "zsh": ["zsh", "-f"], "fish": ["fish", "--no-config"]}
START = {"bash": BASH, "zsh": ZSH, "fish": FISH}


class Shell:
    """A user's shell; `muster` is in its PATH."""

    def __init__(self, kind, muster):
        self.kind = kind
        # Shells write into their home, so each gets its own.
        home = muster.home.parent / f"home-of-{kind}"
        folder = home / "bin"
        folder.mkdir(parents=True)
        (folder / "muster").symlink_to(muster.binary)
        (home / "start").write_text(START[kind])
        env = muster.env | {"HOME": str(home), "PATH": f"{folder}:{os.environ['PATH']}", "PS1": PROMPT, "TERM": "xterm", "LC_ALL": "C.UTF-8"}
        self.child = pexpect.spawn(WORDS[kind][0], WORDS[kind][1:], env=env, cwd=str(muster.work), dimensions=(50, 200),
                                   timeout=PATIENCE, encoding="utf-8")
        self.child.sendline(f"source {home}/start; echo set'-'up")
        self.child.expect_exact("set-up")
        self.child.expect_exact(PROMPT)

    def line(self):
        self.child.send(DUMP)
        self.child.expect(r"LINE<([^\r\n]*)>")
        return self.child.match.group(1)

    def clear(self):
        self.child.send("\x05\x15")  # to the end, and all of it away

    def tab(self, text):
        """The line after Tab."""
        self.child.send(text + "\t")
        line = self.line()
        self.clear()
        return line

    def offers(self, text):
        """The candidates that the shell lists."""
        self.child.send(text + "\t\t")
        self.line()
        shown = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]|\x1b[()][0-9A-Z]|\x1b[=>]", " ", self.child.before)
        self.clear()
        return set(re.findall(r"[\w-]+", shown))

    def close(self):
        self.child.close(force=True)
