# SPDX-License-Identifier: Apache-2.0
"""convert: 10,000 TrainJobs as job files, and what malicious manifests cost. Nothing else converts these files, so the rival only reads
them: PyYAML with libyaml, the parser with which a converter in Python begins."""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from sides import Failed, environment, in_turns, median, run
from table import Row, Table, duration, rate, size

COUNT, LEAST = 10_000, 5_000  # a second
LIMIT, MEMORY = 0.100, 64 * 2**20
JOB = Path(__file__).with_name("trainjob.yaml")
READ = """
import sys, time, yaml
text = open(sys.argv[2]).read()
began = time.monotonic()
for _ in range(int(sys.argv[1])):
    list(yaml.load_all(text, yaml.CSafeLoader))
print(time.monotonic() - began)
"""


def by_muster(here):
    with JOB.open() as text:
        done = subprocess.run([here.root / "build/release/muster_convert_rate", str(COUNT)], stdin=text, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Failed(done.stderr)
    return COUNT / float(done.stdout)


def by_pyyaml(count, file):
    return count / float(run([sys.executable, "-c", READ, count, file], environment()))


def malicious():
    """By name."""
    job = JOB.read_text()
    head = job[:job.index("spec:")]
    bomb = head + "a0: &a0 [x, x, x, x, x, x, x, x, x]\n" + "".join(f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]\n" for i in range(1, 10))
    return {"10 MB in one text": job + f'x: "{"x" * (10 << 20)}"\n', "10,000 documents": (job + "---\n") * 10_000, "anchors of anchors": bomb,
            "10,000 open lists": head + "spec: " + "[" * 10_000 + "\n"}


def refused(here, file):
    """Seconds and bytes of memory of the command."""
    began = time.monotonic()
    with subprocess.Popen([here.muster, "convert", file], env=environment(), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE) as process:
        told = process.stderr.read()
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 2 or not told:
        raise Failed(f"muster convert {file} ended with {process.returncode}: {told[-2000:]}")
    return time.monotonic() - began, used.ru_maxrss << 10


def measure(here, say):
    rounds = here.rounds or 5
    found = in_turns(rounds, {"muster": lambda: by_muster(here), "rival": lambda: by_pyyaml(COUNT // 10, JOB)}, say)
    rows = [Row("TrainJobs to job files", median(found["muster"]), median(found["rival"]), rate("/s")),
            Row("TrainJobs to job files, alone", median(found["muster"]), None, rate("/s"), LEAST, False, "itself")]
    with tempfile.TemporaryDirectory(prefix="muster-bench-") as folder:
        for name, text in malicious().items():
            file = Path(folder) / "job.yaml"
            file.write_text(text)
            used = in_turns(rounds, {"muster": lambda file=file: refused(here, file)}, say)["muster"]
            rows += [Row(f"{name}: refused after", median([each[0] for each in used]), None, duration, LIMIT, True, "itself"),
                     Row(f"{name}: memory", median([each[1] for each in used]), None, size, MEMORY, True, "itself")]
    return Table(f"convert: {COUNT:,} TrainJobs of {JOB.stat().st_size} bytes; medians of {rounds}\n"
                 "  rival: PyYAML with libyaml reads the same files into dictionaries", rows)
