// SPDX-License-Identifier: Apache-2.0
#include "core/client/preflight/preflight_codes.h"

#include <algorithm>
#include <array>

namespace muster {
namespace {

struct CodeRow {
  std::string_view code;
  std::string_view title;
  std::string_view text;
};

constexpr std::array<CodeRow, 14> rows{{
    {"E1401", "the program of `command` cannot be started",
     "muster looks for the first word of `command` in the PATH of the ranks: from `env` of group and job, else from "
     "your shell. A word with a slash is relative to `workdir`. The file must exist and be executable.\n\n"
     "wrong:  command: [train.sh]      with train.sh in workdir\n"
     "right:  command: [./train.sh]    after chmod +x train.sh"},
    {"E1402", "the workdir is not a folder",
     "Ranks start in `workdir`. In a job file it is relative to the file's folder, as a flag to your current "
     "folder.\n\n"
     "wrong:  workdir: src/trian\nright:  workdir: src/train"},
    {"E1403", "the script does not exist",
     "The path of a Python script is relative to `workdir`, not to the folder of the job file.\n\n"
     "wrong:  workdir: src\n        command: [python, src/train.py]\n"
     "right:  workdir: src\n        command: [python, train.py]"},
    {"E1404", "a secret has no value",
     "muster reads a secret when you submit the job: `env:NAME` from your shell, `file:PATH` from a file, "
     "`cmd:PROGRAM ARGUMENTS` from the output of a program, which is started without a shell. The value is never "
     "written to the job's record. It has at most 64 KiB and no NUL byte. The file is a regular file, or a pipe that "
     "a program writes to, such as /dev/stdin; not a folder or a device.\n\n"
     "wrong:  env: {TOKEN: {from: \"env:TOKEN\"}}      and no TOKEN in your shell\n"
     "right:  TOKEN=… muster run job.yaml, or {from: \"env:TOKEN\", optional: true}"},
    {"E1405", "runtimes that refer to each other in a cycle",
     "A runtime may be based on another one: it names that in its own key `runtime`. A chain has at most eight "
     "runtimes and no cycle. A runtime that names itself is based on the runtime of the same name in the next folder: "
     "the project's on the user's, the user's on the system's.\n\n"
     "wrong:  runtime: b    in a.yaml, while b.yaml says runtime: a\n"
     "right:  runtime: base in a.yaml, and in b.yaml"},
    {"E1406", "hosts for a backend that does not use them",
     "Only the ssh backend places a job on hosts. --hosts and --hostfile select this backend unless you name another "
     "one; hosts in a job file need `backend: ssh`. With --backend local on the command line, the hosts in the file "
     "are ignored.\n\n"
     "wrong:  hosts: [a1, a2]\n        backend: local\n"
     "right:  hosts: [a1, a2]\n        backend: ssh"},
    {"E1407", "the ssh backend without hosts",
     "The ssh backend runs a job only on hosts that you name.\n\n"
     "wrong:  backend: ssh\nright:  backend: ssh\n        hosts: [a1, \"mia@a2:4\"]"},
    {"E1408", "the code snapshot cannot be made",
     "With `workdir: {sync: true}`, muster takes a snapshot of the working folder when you submit, and copies it over "
     "ssh to the hosts of the job. `workdir.max` limits its size. Files that git ignores by any rule are not copied. "
     "Name other files that are not copied, such as data, in .musterignore. The folder .git is never copied.\n\n"
     "wrong:  workdir: {sync: true}    with 40 GB of data in the folder\n"
     "right:  echo /data >> .musterignore"},
    {"E1409", "the setup of a host failed",
     "A command of `setup` ended with an exit code other than 0. It ran on that host, in the job's working folder and "
     "environment; `muster logs JOB` shows its output. No rank was started, and no restart was used. The next job "
     "starts again with the first command.\n\n"
     "wrong:  setup: [[pip, install, torhc]]\nright:  setup: [[pip, install, torch]]"},
    {"E1410", "no virtual environment on a host",
     "`python: {venv: PATH}` names a folder that contains bin/python, on every host of the job. A relative PATH is "
     "relative to the working folder; ~ is the home folder on the host. `setup` can create the environment.\n\n"
     "wrong:  python: {venv: .venv}    and no .venv/bin/python\n"
     "right:  setup:\n          - [python3, -m, venv, .venv]\n          - [pip, install, -r, requirements.txt]\n"
     "        python: {venv: .venv}"},
    {"E1411", "a secret is written in the job file",
     "The values of `env` are stored with the job: `muster describe -o json`, the job's journal and a manifest for a "
     "cluster show them, and so does the file's history. This value is probably a secret, by the variable's name "
     "(TOKEN, PASSWORD, SECRET, KEY) or by its own format. Use a reference, `{from: …}`: the ranks get the value, but "
     "the job's record does not contain it. This is a warning: the job runs. If a rank prints a secret, the secret is "
     "in the job's output.\n\n"
     "wrong:  env: {HF_TOKEN: hf_0123456789abcdef}\n"
     "right:  env: {HF_TOKEN: {from: \"env:HF_TOKEN\"}}, or muster run -e HF_TOKEN job.yaml"},
    {"E1412", "the interpreter does not have the framework",
     "The script imports the package of the job's framework, and the interpreter that starts it cannot find this "
     "package. Only jobs on this machine without `setup` and `python.venv` are checked.\n\n"
     "wrong:  command: [python3, train.py]           and JAX in /home/me/jax\n"
     "right:  command: [/home/me/jax/bin/python, train.py], or activate the environment first"},
    {"E1413", "the program sets a variable that muster sets for each attempt",
     "Ranks of this framework find each other by a variable whose addresses and TCP ports muster leases anew for each "
     "attempt. The script replaces it, so its ranks would use ports that other programs may have.\n\n"
     "wrong:  os.environ[\"TF_CONFIG\"] = json.dumps(…)\n"
     "right:  os.environ.setdefault(\"TF_CONFIG\", json.dumps(…))"},
    {"E1414", "no program that opens container images",
     "`in_image` runs the ranks in a container image, which podman, docker, apptainer or enroot opens. None of them is "
     "in "
     "PATH on this machine, or not the one that `in_image.program` names. Install one, or remove `in_image`: then the "
     "ranks run in the environment of the machine. Hosts over ssh are checked when the job starts there.\n\n"
     "wrong:  in_image: pytorch/pytorch                and no container program\n"
     "right:  sudo apt-get install podman"},
}};

}  // namespace

std::optional<Explanation> explain_preflight(std::string_view code) {
  const auto found = std::find_if(rows.begin(), rows.end(), [&](const CodeRow& row) { return row.code == code; });
  if (found == rows.end()) return std::nullopt;
  return Explanation{std::string(found->code), std::string(found->title), std::string(found->text)};
}

std::vector<std::string> preflight_codes() {
  std::vector<std::string> codes;
  for (const CodeRow& row : rows) codes.emplace_back(row.code);
  return codes;
}

}  // namespace muster
