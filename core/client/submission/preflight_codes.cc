#include "core/client/submission/preflight_codes.h"

#include <algorithm>
#include <array>

namespace muster {
namespace {

struct CodeRow {
  std::string_view code;
  std::string_view title;
  std::string_view text;
};

constexpr std::array<CodeRow, 11> rows{{
    {"E1401", "the program of `command` cannot be started",
     "The first word of `command` is looked for in the PATH that the ranks get: `env` of group and job, else your "
     "shell's. With a "
     "slash in it, it is meant from `workdir`. It has to be a file that may be executed.\n\n"
     "wrong:  command: [train.sh]      with train.sh in workdir\n"
     "right:  command: [./train.sh]    after chmod +x train.sh"},
    {"E1402", "the workdir is no folder",
     "Ranks start in `workdir`. In a job file it is meant from the file's folder, as a flag from where you "
     "are.\n\n"
     "wrong:  workdir: src/trian\nright:  workdir: src/train"},
    {"E1403", "the script is not there",
     "The script that Python is told to run is meant from `workdir`, not from the folder of the job file.\n\n"
     "wrong:  workdir: src\n        command: [python, src/train.py]\n"
     "right:  workdir: src\n        command: [python, train.py]"},
    {"E1404", "a secret has no value",
     "A secret is taken when you submit the job: `env:NAME` from your shell, `file:PATH` from a file, "
     "`cmd:PROGRAM ARGUMENTS` from "
     "what a program prints (no shell reads the words). Its value is never written to the job's record.\n\n"
     "wrong:  env: {TOKEN: {from: \"env:TOKEN\"}}      and no TOKEN in your shell\n"
     "right:  TOKEN=… muster run job.yaml, or {from: \"env:TOKEN\", optional: true}"},
    {"E1405", "runtimes that build on each other in a circle",
     "A runtime may build on another by a `runtime` of its own, eight deep at most, and never come back to itself. One "
     "that "
     "names itself means the file of that name in the next folder: the project's stands on the user's, that on the "
     "system's.\n\n"
     "wrong:  runtime: b    in a.yaml, while b.yaml says runtime: a\n"
     "right:  runtime: base in a.yaml, and in b.yaml"},
    {"E1406", "hosts for a backend that takes none",
     "Hosts are where the ssh backend places a job. Hosts that are typed (--hosts, --hostfile) mean that backend where "
     "no "
     "other is typed; hosts of a job file want its `backend: ssh`. With --backend local typed a file's hosts are "
     "passed "
     "over.\n\n"
     "wrong:  hosts: [a1, a2]\n        backend: local\n"
     "right:  hosts: [a1, a2]\n        backend: ssh"},
    {"E1407", "the ssh backend without hosts",
     "It runs a job on the hosts that you name, and knows none by itself.\n\n"
     "wrong:  backend: ssh\nright:  backend: ssh\n        hosts: [a1, \"mia@a2:4\"]"},
    {"E1408", "the code cannot travel",
     "With `workdir: {sync: true}` a snapshot of the working folder is taken when you submit, and copied to the hosts "
     "that "
     "the job runs on over ssh. It has a limit, `workdir.max`; .gitignore and .musterignore name what does not travel, "
     "data mostly. git's own folder never does.\n\n"
     "wrong:  workdir: {sync: true}    with 40 GB of data in the folder\n"
     "right:  echo /data >> .musterignore"},
    {"E1409", "the setup of a host failed",
     "A command of `setup` ended with another code than 0. It ran on that host, in the job's working folder, with the "
     "job's "
     "environment; `muster logs JOB` has what it printed. No rank was started, and no restart was used. The next job "
     "begins "
     "again with the first command.\n\n"
     "wrong:  setup: [[pip, install, torhc]]\nright:  setup: [[pip, install, torch]]"},
    {"E1410", "no virtual environment on a host",
     "`python: {venv: PATH}` names a folder with bin/python in it, on every host of the job. A relative PATH begins in "
     "the "
     "working folder, ~ is the home folder there. What is not there `setup` can make.\n\n"
     "wrong:  python: {venv: .venv}    and no .venv/bin/python\n"
     "right:  setup:\n          - [python3, -m, venv, .venv]\n          - [pip, install, -r, requirements.txt]\n"
     "        python: {venv: .venv}"},
    {"E1411", "a secret that stands in the job file",
     "What `env` says is kept with the job: `muster describe -o json`, its journal and a manifest for a cluster show "
     "it, "
     "and so does the file's history. By its name (TOKEN, PASSWORD, SECRET, KEY) or its form this value is a secret. "
     "`{from: …}` makes it a reference: ranks get the value, and nothing that muster writes has it. "
     "A warning: the job runs. What a rank prints of its secrets is in its output as all that it prints.\n\n"
     "wrong:  env: {HF_TOKEN: hf_0123456789abcdef}\n"
     "right:  env: {HF_TOKEN: {from: \"env:HF_TOKEN\"}}, or muster run -e HF_TOKEN job.yaml"},
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
