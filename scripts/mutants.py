# SPDX-License-Identifier: Apache-2.0
"""Mutation tests: changes the sources one by one and checks that a simulated story fails: `mutants.py REPORT.xml [NAME…]`.

The mutants are in test/swarm/mutants.txt. Each changes one file. The group of sources that CMake compiles together with it is
compiled again and linked before the libraries of build/sim, so that its object replaces theirs. The source tree is not changed.
"""

import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import time

import junit

ROOT = pathlib.Path(__file__).resolve().parents[1]
BUILD = ROOT / "build" / "sim"
SCRATCH = ROOT / "build" / "mutants"
LIST = ROOT / "test" / "swarm" / "mutants.txt"
SEEDS = 2000


def mutants():
    """[{name, path, out, put}]"""
    found = []
    for block in re.split(r"\n\n+", LIST.read_text()):
        lines = [line for line in block.splitlines() if not line.startswith("#")]
        if not lines:
            continue
        name, path = lines[0].rsplit(": ", 1)
        part = {sign: "\n".join(line[2:] for line in lines[1:] if line[0] == sign) for sign in "-+"}
        found.append({"name": name, "path": path, "out": part["-"], "put": part["+"]})
    return found


def run(command, **more):
    return subprocess.run(command, cwd=BUILD, capture_output=True, text=True, stdin=subprocess.DEVNULL, **more)


def group_of(path, commands):
    """The file of CMake's unity build that includes this source of swarm's libraries."""
    line = f'#include "{ROOT / path}"'
    return next(pathlib.Path(file) for file in commands if "/Unity/" in file and line in pathlib.Path(file).read_text().splitlines())


def build(mutant, commands, link):
    """Returns (program, "") or (None, why it could not be built)."""
    text = (ROOT / mutant["path"]).read_text()
    if text.count(mutant["out"]) != 1:
        return None, f"its text occurs {text.count(mutant['out'])} times in {mutant['path']} instead of once: adapt {LIST.name}"
    folder = SCRATCH / re.sub(r"\W+", "-", mutant["name"])
    folder.mkdir(parents=True, exist_ok=True)
    source, group, made, program = folder / pathlib.Path(mutant["path"]).name, folder / "group.cc", folder / "mutant.o", folder / "swarm"
    source.write_text(text.replace(mutant["out"], mutant["put"]))
    original = group_of(mutant["path"], commands)
    group.write_text(original.read_text().replace(str(ROOT / mutant["path"]), str(source)))
    compile_words = shlex.split(commands[str(original)])
    compile_words[compile_words.index("-o") + 1] = str(made)
    compile_words[compile_words.index("-c") + 1] = str(group)
    # A mutant may leave unused code, which causes warnings.
    done = run([*compile_words, "-Wno-error"])
    if done.returncode == 0:
        words = shlex.split(re.sub(r"^: && | && :$", "", link))
        words[words.index("-o") + 1] = str(program)
        first = next(i for i, word in enumerate(words) if word.endswith(".a"))
        done = run([*words[:first], str(made), *words[first:]])
    return (program, "") if done.returncode == 0 else (None, done.stdout + done.stderr)


def hunt(program):
    """Runs stories on all cores; returns (seed, breach) of the first failure, or None."""
    cores = os.cpu_count() or 1
    shares = [subprocess.Popen([program, "--seeds", f"{first}..{SEEDS}", "--step", str(cores), "--stop"], cwd=BUILD,
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) for first in range(1, cores + 1)]
    found = None
    while shares and not found:
        share = shares[0]
        try:
            said = share.communicate(timeout=0.2)[0]
        except subprocess.TimeoutExpired:
            shares.append(shares.pop(0))
            continue
        shares.remove(share)
        failed = re.search(r"^failed (\d+)\n  breach (.*)", said, re.MULTILINE)
        if failed:
            found = failed.groups()
        elif share.returncode not in (0, 1):
            found = ("?", f"it exited with {share.returncode}: {said.strip()[-120:]}")
    for share in shares:
        share.kill()
        share.communicate()
    return found


def judge(mutant, commands, link):
    """Returns (caught, message)."""
    program, why_not = build(mutant, commands, link)
    if program is None:
        return False, why_not
    found = hunt(program)
    program.unlink()
    if found is None:
        return False, f"no failure in {SEEDS} seeds"
    return True, f"seed {found[0]}: " + re.sub(r"^\d{4}-\S+Z ", "", found[1])


def main(arguments):
    report, names = arguments[0], arguments[1:]
    commands = {each["file"]: each["command"] for each in json.loads((BUILD / "compile_commands.json").read_text())}
    link = run(["ninja", "-t", "commands", "swarm"]).stdout.splitlines()[-1]
    cases = []
    for mutant in mutants():
        if names and mutant["name"] not in names:
            continue
        began = time.monotonic()
        caught, said = judge(mutant, commands, link)
        print(f"{'caught' if caught else 'MISSED':7} {mutant['name']:45} {time.monotonic() - began:5.1f} s  {said}"[:230], flush=True)
        cases.append((mutant["name"], None if caught else said))
    junit.write(report, "mutants", cases)


if __name__ == "__main__":
    main(sys.argv[1:])
