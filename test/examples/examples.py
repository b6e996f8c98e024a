# SPDX-License-Identifier: Apache-2.0
"""The public examples of Kubeflow and JobSet, and what muster says about them."""

import json
import re
import subprocess
from pathlib import Path

# Go module → folder with examples. From its version 0.10 on, JobSet's module has no examples.
MODULES = {
    "github.com/kubeflow/trainer/v2@v2.3.0": "examples",
    "github.com/kubeflow/training-operator@v1.9.3": "examples",
    "github.com/kubeflow/mpi-operator@v0.8.0": "examples",
    "sigs.k8s.io/jobset@v0.8.1": "site/static/examples",
}
# Deprecated versions are left out: their operators do not read them any more.
JOB = re.compile(r"^kind: *(TrainJob|PyTorchJob|TFJob|MPIJob|XGBoostJob|PaddleJob|JAXJob|JobSet|Job)\s*$", re.M)
TOO_SMALL = 8  # exit code: the job is valid, and this machine is too small for it
OF_THIS_MACHINE = "E14"  # error codes of programs and folders that are not there, because they are in the image


def fetch(module, folder):
    """The folder of a Go module, from the module cache or the network."""
    (folder / "go.mod").write_text("module examples\n")
    done = subprocess.run(["go", "mod", "download", "-json", module], cwd=folder, capture_output=True, text=True, check=True)
    return Path(json.loads(done.stdout)["Dir"])


def files_in(folder):
    return [path for path in sorted(folder.rglob("*.y*ml")) if JOB.search(path.read_text())]


class Reader:
    """Asks muster about manifests, in a home folder of its own."""

    def __init__(self, program, home):
        self.program, self.home = program, home

    def ask(self, *arguments):
        return subprocess.run([self.program, *map(str, arguments)], cwd=self.home, capture_output=True, text=True,
                              env={"HOME": str(self.home), "PATH": "/usr/bin:/bin"}, check=False)

    def problems(self, path, backend):
        """Codes of the errors, without those of programs that are only in an image."""
        files = json.loads(self.ask("validate", "-o", "json", "--backend", backend, path).stdout)["files"]
        found = {each["code"] for file in files for each in file["diagnostics"] if each["severity"] == "error"}
        return sorted(code for code in found if not code.startswith(OF_THIS_MACHINE))

    def result(self, path, backend):
        problems = self.problems(path, backend)
        typed = ["render", "--backend", backend, path, "--", "/bin/true"]
        if problems == ["E1806"] and self.ask(*typed).returncode in (0, TOO_SMALL):
            return "typed"
        return ", ".join(problems) if problems else "yes"


def table(program, home):
    """The rows of the page, and the number of results that are no error."""
    rows, good = [], 0
    reader = Reader(program, home)
    for module, folder in MODULES.items():
        there = fetch(module, home) / folder
        rows.append(f"| **{module.split('/')[-2] if '/v2@' in module else module.split('/')[-1].split('@')[0]}** {module.split('@')[1]} | | |")
        for path in files_in(there):
            results = [reader.result(path, backend) for backend in ("local", "kubernetes")]
            good += sum(not each.startswith("E") for each in results)
            rows.append(f"| `{path.relative_to(there)}` | {results[0]} | {results[1]} |")
    return rows, good
