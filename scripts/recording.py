# SPDX-License-Identifier: Apache-2.0
"""Runs a job, kills one of its ranks, runs `muster why`, and draws the terminal's output as an animated picture."""

import argparse
import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from html import escape
from pathlib import Path

WIDTH, LINE, CHARACTER, MARGIN = 118, 17, 7.5, 14  # columns; pixels
LONGEST_PAUSE = 2.0
PATIENCE = 120
COLOURS = (("$ ", "#e6e1cf"), ("restarting", "#f07178"), ("killed by", "#f07178"), ("running again", "#c2d94c"), ("succeeded", "#c2d94c"))


class Recording:
    """The lines of a terminal, each with its time in seconds."""

    def __init__(self):
        self.began, self.lines = time.monotonic(), []

    def add(self, text):
        self.lines.append((time.monotonic() - self.began, text))

    def paced(self):
        """The lines with long pauses shortened."""
        at, before, paced = 0.0, 0.0, []
        for when, text in self.lines:
            at += min(when - before, LONGEST_PAUSE)
            before = when
            paced.append((at, text))
        return paced


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--muster", type=Path, required=True)
    parser.add_argument("--python", required=True, help="an interpreter with PyTorch")
    parser.add_argument("picture", type=Path)
    return parser.parse_args()


def told_of(muster, env):
    done = subprocess.run([muster, "describe", "@last", "-o", "json"], env=env, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def kill_one(muster, env, recording):
    rank = next(rank for rank in told_of(muster, env)["ranks"] if rank["rank"] == 1)
    recording.add(f"$ kill -9 {rank['pid']}          # rank 1, from another terminal")
    os.kill(rank["pid"], signal.SIGKILL)


def show(recording, shown, words, env):
    recording.add(f"$ {shown}")
    done = subprocess.run(words, env=env, capture_output=True, text=True, timeout=PATIENCE, check=False)
    for line in (done.stdout + done.stderr).splitlines():
        recording.add(line)


def train(muster, python, env, recording):
    script = Path("examples/torch_ddp/train.py").resolve()
    recording.add("$ muster run -n 2 --restarts 3 -- python train.py")
    words = [muster, "run", "--name", "train", "-n", "2", "--restarts", "3", "--framework", "torch", "--", python, script, "--epochs", "3"]
    with tempfile.TemporaryDirectory() as folder:
        run = subprocess.Popen(words, env=env, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        killed = False
        for line in run.stdout:
            recording.add(line.rstrip("\n"))
            if not killed and "epoch 1" in line:
                kill_one(muster, env, recording)
                killed = True
        if run.wait(PATIENCE) != 0 or not killed:
            sys.exit("recording: the job failed or no rank was killed:\n" + "\n".join(text for _, text in recording.lines))


def record(muster, python):
    recording = Recording()
    state = tempfile.mkdtemp(prefix="muster-recording-")
    env = {name: value for name, value in os.environ.items() if not name.startswith("MUSTER_")}
    env |= {"MUSTER_STATE_DIR": state, "MUSTER_IDLE": "5s", "NO_COLOR": "1", "OMP_NUM_THREADS": "1"}
    try:
        train(muster, python, env, recording)
        show(recording, "muster why train", [muster, "why", "train"], env)
    finally:
        end_controller(muster, env)
        shutil.rmtree(state, ignore_errors=True)
    return recording


def end_controller(muster, env):
    done = subprocess.run([muster, "version", "-o", "json"], env=env, capture_output=True, text=True, check=False)
    pid = json.loads(done.stdout or "{}").get("controller", {}).get("pid")
    with contextlib.suppress(ProcessLookupError):
        if pid:
            os.kill(pid, signal.SIGTERM)


def colour_of(text):
    return next((colour for words, colour in COLOURS if words in text), "#b3b1ad")


def line_of(number, at, text):
    shown = text if len(text) <= WIDTH else text[:WIDTH - 1] + "…"
    y = MARGIN + LINE * (number + 1)
    return (f'<text x="{MARGIN}" y="{y}" fill="{colour_of(text)}" style="animation-delay:{at:.2f}s" xml:space="preserve">'
            f"{escape(shown)}</text>")


# A viewer without animation shows all lines at once.
def picture_of(lines):
    height = MARGIN * 2 + LINE * (len(lines) + 1)
    width = MARGIN * 2 + int(WIDTH * CHARACTER)
    rows = "\n".join(line_of(number, at, text) for number, (at, text) in enumerate(lines))
    return f"""<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img">
<title>One of two ranks of a job is killed; the job continues</title>
<style>text {{ font: 12px ui-monospace, Menlo, Consolas, monospace; animation: come 1ms backwards }} @keyframes come {{ from {{ opacity: 0 }} }}</style>
<rect width="100%" height="100%" rx="8" fill="#0a0e14"/>
{rows}
</svg>
"""


def main():
    arguments = parse_arguments()
    lines = record(arguments.muster.resolve(), arguments.python).paced()
    arguments.picture.write_text(picture_of(lines))
    for at, text in lines:
        print(f"{at:6.2f}  {text}")


main()
