# SPDX-License-Identifier: Apache-2.0
"""The tree keeps its rules, and the rules can tell: each planted breach is found, each lookalike is left alone."""

import pathlib
import subprocess
import sys

import pytest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(HERE))

import check  # noqa: E402

RULES = ("arrow", "fence", "cycle", "folder", "readme", "interface", "class", "symbol", "ban", "mutex", "sleep", "length", "reminder", "place", "phrase",
         "licence", "binary", "term", "page", "link", "test")
LONG = "\n".join(f"  total += {i};" for i in range(80))
WIDE = "class Wide {\n public:\n" + "".join(f"  virtual void call_{i}() = 0;\n" for i in range(9)) + "};"

# path, text, the rule that must speak, a word of its advice
PLANTED = [
    ("core/base/a.h", '#include "core/job/job_spec.h"', "arrow", "nothing of ours"),
    ("core/job/plan/a.cc", '#include "core/machine/job/job.h"', "arrow", "core/base"),
    ("core/framework/a.cc", '#include "core/port/loop.h"', "arrow", "core/job"),
    ("core/machine/job/a.cc", '#include "core/agent/agent.h"', "arrow", "core/job"),
    ("core/port/a.h", '#include "core/machine/job/job.h"', "arrow", "core/job"),
    ("core/agent/a.cc", '  #  include "core/system/asio/loop.h"', "arrow", "core/port"),
    ("core/agent/a.cc", '#include "core/coordinator/coordinator.h"', "arrow", "core/port"),
    ("core/wire/a.cc", '#include "core/agent/agent.h"', "arrow", "core/port"),
    ("core/wire/values/a.cc", '#include "core/machine/job/job.h"', "arrow", "core/port"),
    ("core/client/a.cc", '#include "launcher/cli/command.h"', "arrow", "core/port"),
    ("core/client/a.cc", '#include "backends/ssh/ssh.h"', "arrow", "core/port"),
    ("core/worker/a.cc", '#include "core/job/plan/plan.h"', "arrow", "core/base"),
    ("backends/local/a.cc", '#include "core/agent/agent.h"', "arrow", "core/port"),
    ("backends/local/a.cc", '#include "backends/ssh/ssh.h"', "arrow", "backends/ssh"),
    ("backends/arrivals/a.cc", '#include "backends/typed/typed_backend.h"', "arrow", "backends/typed"),
    ("backends/local/a.cc", '#include "launcher/cli/command.h"', "arrow", "core/client"),
    ("backends/ssh/ssh_backend.cc", '#include "core/wire/channel.h"', "arrow", "sees ports only"),
    ("core/fresh/a.cc", "int a;", "arrow", "no house"),
    ("core/agent/a.cc", '#include "proto/agent.pb.h"', "fence", "core/port"),
    ("core/system/asio/a.cc", "#include <grpcpp/server.h>", "fence", "core/wire"),
    ("launcher/a.cc", "#include <google/protobuf/message.h>", "fence", "core/wire"),
    ("launcher/a.cc", "#include <boost/asio.hpp>", "fence", "core/system/asio"),
    ("core/controller/a.cc", "#include <sqlite3.h>", "fence", "job_store.h"),
    ("core/controller/a.cc", "#include <spdlog/spdlog.h>", "fence", "log.h"),
    ("core/system/nvml/a.cc", "#include <hwloc.h>", "fence", "core/system/hwloc"),
    ("core/worker/collective/a.cc", "#include <gloo/context.h>", "fence", "gloo_abi.h"),
    ("launcher/a.cc", "#include <gelf.h>", "fence", "elf_symbols.h"),
    ("launcher/a.cc", "#include <zstd.h>", "fence", "backends/ssh/session"),
    ("core/job/document/a.cc", "#include <yaml-cpp/node/node.h>", "fence", "one reader"),
    ("launcher/a.cc", "#include <yaml-cpp/yaml.h>", "fence", "yaml_document.h"),
    ("core/job/a.h", "#include <nlohmann/json_fwd.hpp>", "fence", ".cc"),
    ("core/port/a.h", WIDE, "interface", "9 methods, 8 at most"),
    ("core/port/a.h", WIDE.replace("class Wide", "struct Wide"), "interface", "9 methods, 8 at most"),
    ("core/wire/a.cc", "namespace grpc_core {\nvoid RegisterExtraFilters() {}\n}", "symbol", "grpc_core is not ours"),
    ("docs/design/architecture.md", "word " * 701, "page", "700 at most"),
    ("core/wire/CMakeLists.txt", "muster_folder()\ntarget_link_options(muster_core_wire PUBLIC -Wl,--wrap=SSL_new)", "symbol", "public interface"),
    ("core/wire/a.cc", 'void call() asm("_ZN9somewhere4callEv");', "symbol", "public interface"),
    ("core/machine/a.cc", "auto t = std::chrono::steady_clock::now();", "ban", "Loop::now()"),
    ("core/job/a.cc", "auto t = time(nullptr);", "ban", "Loop::now()"),
    ("core/base/a.cc", "::clock_gettime(CLOCK_MONOTONIC, &t);", "ban", "Loop::now()"),
    ("core/agent/a.cc", "std::this_thread::sleep_for(1s);", "ban", "Loop::at"),
    ("core/agent/a_test.cc", "usleep(10);", "ban", "Loop::at"),
    ("core/controller/a.cc", "std::thread pump([] {});", "ban", "Loop::post"),
    ("core/coordinator/a.cc", "auto later = std::async(work);", "ban", "Loop::post"),
    ("core/machine/a.cc", "std::mt19937 generator;", "ban", "random.h"),
    ("core/framework/a.cc", "int n = rand();", "ban", "random.h"),
    ("core/framework/a.cc", 'std::getenv("HOME");', "ban", "arguments"),
    ("core/framework/a.cc", "for (char** e = environ; *e; ++e) {}", "ban", "arguments"),
    ("core/agent/a.cc", "if (::fork() == 0) return;", "ban", "process_host.h"),
    ("core/agent/a.cc", 'system("true");', "ban", "process_host.h"),
    ("core/base/a.h", "std::mutex guard_;", "mutex", "mutex:"),
    ("launcher/a.cc", "std::recursive_mutex guard;", "mutex", "loop"),
    ("core/system/asio/a_test.cc", "std::this_thread::sleep_for(1s);", "sleep", "wait for"),
    ("test/e2e/test_a.py", "    time.sleep(1)", "sleep", "waiting.py"),
    ("test/firstday/helper.py", "from time import monotonic, sleep", "sleep", "waiting.py"),
    ("core/base/a.cc", f"int sum(int total) {{\n{LONG}\n  return total;\n}}", "length", "sum has 83 lines"),
    ("core/base/a.h", f"inline int sum(int total) {{\n{LONG}\n  return total;\n}}", "length", "70 at most"),
    ("python/a.py", "def sum(total):\n" + LONG.replace(";", ""), "length", "sum has 81 lines"),
    ("launcher/a.cc", "int a;\n" * 401, "length", "400 at most"),
    ("scripts/a", "#!/bin/bash\n" + "true\n" * 401, "length", "400 at most"),
    ("core/base/a.cc", "// TO" + "DO: later", "reminder", "issue"),
    ("docs/a.md", "FIX" + "ME", "reminder", "issue"),
    ("scripts/a.sh", "cd /wo" + "rk/main", "place", "relative"),
    (".checkpoints/a.fm", "FM\0\0", "binary", ".gitignore"),
    ("README.md", "A restart costs a blink.", "phrase", "duration"),
    ("docs/guide/a.md", "TCP ports 20000-27999 are to be had.", "phrase", "available"),
    ("core/base/a.h", "// The token stands in a file.", "phrase", "is in"),
    ("core/base/a.h", "// Who waits is told.", "phrase", "the actor"),
    ("launcher/a.cc", 'const char* a = "its agent has not said hello";', "phrase", "reported"),
    ("core/agent/a.h", "class GuestDesk; // the guest desk", "term", "server"),
    ("core/agent/a.h", "struct DeputyLost; int deputy_lost;", "term", "coordinator proxy"),
    ("docs/guide/a.md", "word " * 901, "page", "901 words"),
    ("README.md", "line\n" * 151, "page", "150 at most"),
    ("docs/reference/a.md", "The limit used to be 3.", "page", "history"),
    ("docs/a.md", "See [this](guide/none.md).", "link", "leads nowhere"),
    ("SECURITY.md", "| nobody reads it | `test_that_nobody_wrote` |", "test", "test_that_nobody_wrote"),
]

CLEAN = [
    ("core/base/a.cc", '// #include "launcher/main.h"\n/* steady_clock\n std::thread */ const char* s = "getenv(fork())";'),
    ("core/machine/a.cc", "TimePoint time(Duration(0)); auto x = state.random(); host->fork(); policy.sleep(3); int big = 1'000'000;"),
    ("core/machine/a.cc", 'auto s = R"x(std::thread "sleep(1)")x"; char quote = \'"\'; int operand;'),
    ("core/port/process_host.h", "virtual void kill(Pid pid, int signal) = 0;"),
    ("core/wire/a.cc", '#include "proto/agent.pb.h"\n#include <grpcpp/server.h>\nstd::mutex guard; std::thread pump;'),
    ("core/job/document/yaml_document.cc", "#include <yaml-cpp/yaml.h>"),
    ("core/client/view/yaml.cc", "#include <yaml-cpp/yaml.h>"),
    ("backends/local/a_test.cc", '#include "backends/testing/conformance.h"'),
    ("backends/typed/a.cc", '#include "backends/arrivals/arrivals.h"'),
    ("backends/typed/typed_backend.cc", '#include "backends/arrivals/arrivals.h"\n#include "core/port/loop.h"'),
    ("core/system/spdlog/a.h", "namespace spdlog {\nclass logger;\n}"),
    ("core/agent/a_test.cc", '#include "backends/testing/fake.h"\n#include "test/sim/sim_loop.h"'),
    ("core/port/a.h", WIDE.replace("call_8", "also_8").replace(" = 0;", ";")),
    ("core/base/a.cc", "struct Local { void one(); };\nvoid Local::one() {}"),
    ("launcher/a.cc", "// mutex: the signal handler's thread hands its number over here\nstd::mutex guard;"),
    ("test/e2e/waiting.py", "import time\ntime.sleep(0.01)"),
    ("test/e2e/test_a.py", 'command = ["sleep", "60"]  # time passes\n'),
    ("core/base/a.cc", "int sum(int total) {\n" + "  total += 1;\n" * 60 + "}"),
    ("core/job/a_test.cc", 'bool rewrite = std::getenv("MUSTER_REWRITE") != nullptr;'),
    ("scripts/a.sh", 'cd "$home/work/main"; mktemp -d /tmp/a.XXXXXX'),
    ("docs/a.md", "Who may read it? A stand-in stands in for a GPU. See [here](#part), [there](https://a.example/b) and [itself](a.md)."),
    ("docs/guide/a.md", "The flag is used to be explicit. The job no longer waits. He said hello.py is missing.".replace("said hello", "named hello")),
    ("core/base/a.h", "int desktop; int whoever; // a whole desk"),
]


def plant(root, path, text, licence=True):
    place = root / path
    place.parent.mkdir(parents=True, exist_ok=True)
    comment = {"h": "//", "cc": "//", "py": "#", "sh": "#", "txt": "#"}.get(path.rpartition(".")[2])
    if licence and comment:
        text = f"{comment} SPDX-License-Identifier: Apache-2.0\n" + text
    place.write_text(text + "\n")


@pytest.fixture(name="tree")
def fixture_tree(tmp_path):
    plant(tmp_path, "core/base/clean.cc", "int one() { return 1; }")
    return tmp_path


@pytest.mark.parametrize("path, text, rule, advice", PLANTED, ids=[f"{row[2]}-{i}" for i, row in enumerate(PLANTED)])
def test_a_breach_is_found(tree, path, text, rule, advice):
    plant(tree, path, text)
    found = check.problems_of(tree)
    assert any(problem.path == path and problem.rule == rule and advice in problem.message for problem in found), found


@pytest.mark.parametrize("path, text", CLEAN, ids=[f"clean-{i}" for i in range(len(CLEAN))])
def test_a_lookalike_is_left_alone(tree, path, text):
    for folder in ("scripts", "test/e2e"):
        plant(tree, f"{folder}/README.md", "Words.")
    plant(tree, path, text)
    assert check.problems_of(tree) == []


def test_Licence_Missing_IsFound(tree):
    plant(tree, "core/base/a.cc", "int a;", licence=False)
    assert [problem.path for problem in problems(tree, "licence")] == ["core/base/a.cc"]


def test_every_rule_has_a_planted_breach():
    planted = {row[2] for row in PLANTED} | {"cycle", "folder", "readme", "class", "licence"}  # tests of their own are below
    assert planted == set(RULES)


def problems(tree, rule):
    return [problem for problem in check.problems_of(tree) if problem.rule == rule]


def test_Depends_UnlistedOrUnused_IsFound(tree):
    plant(tree, "core/base/CMakeLists.txt", "muster_folder()")
    plant(tree, "core/job/CMakeLists.txt", "muster_folder(DEPENDS core/base)")
    plant(tree, "core/job/plan/CMakeLists.txt", "muster_folder(\n  DEPENDS core/base core/job\n  LIBRARIES deps::grpc)")
    plant(tree, "core/job/plan/plan.h", '#include "core/job/job_spec.h"')
    plant(tree, "core/job/job_spec.h", '#include "core/base/clean.h"')
    assert [str(problem) for problem in problems(tree, "arrow")] == [
        "core/job/plan/CMakeLists.txt:2: arrow: core/job/plan lists core/base and includes nothing of it"]
    plant(tree, "core/job/plan/claim.cc", '#include "core/job/document/yaml.h"')
    assert any("does not list core/job/document" in problem.message for problem in problems(tree, "arrow"))


def test_Folder_WithoutATarget_IsFound(tree):
    plant(tree, "CMakeLists.txt", "project(a)")
    plant(tree, "core/worker/client/a.cc", "int a;")
    plant(tree, "core/base/CMakeLists.txt", "muster_folder()")
    plant(tree, "core/agent/extra/a.cc", "int a;")
    assert ["core/agent/extra has no muster_folder" in problem.message for problem in problems(tree, "arrow")] == [True]


def test_Folders_ThatIncludeEachOther_AreACycle(tree):
    plant(tree, "launcher/view/a.h", '#include "launcher/top/b.h"')
    plant(tree, "launcher/top/b.h", '#include "launcher/exec/c.h"')
    assert problems(tree, "cycle") == []
    plant(tree, "launcher/exec/c.cc", '#include "launcher/view/a.h"')
    assert "launcher/exec → launcher/view → launcher/top → launcher/exec" in problems(tree, "cycle")[0].message


def test_Folder_WithMoreThan40Sources_IsFound(tree):
    for number in range(41):
        plant(tree, f"core/rank/file_{number}.h", "int a;")
        plant(tree, f"core/job/file_{number}_test.cc", "int a;")
    assert [problem.message.split(" has ")[0] for problem in problems(tree, "folder")] == ["core/rank"]


def test_Readme_MissingOrLong_IsFound(tree):
    plant(tree, "core/base/CMakeLists.txt", "muster_folder()")
    assert [problem.path for problem in problems(tree, "readme")] == ["core/base/CMakeLists.txt"]
    plant(tree, "core/base/README.md", "# core/base\n\nWords.")
    assert problems(tree, "readme") == []
    plant(tree, "core/base/README.md", "line\n" * 11)
    assert [problem.path for problem in problems(tree, "readme")] == ["core/base/README.md"]


@pytest.mark.parametrize("path, folder", [("test/e2e/test_logs.py", "test/e2e"), ("test/CMakeLists.txt", "test"), ("scripts/lib.sh", "scripts"),
                                          ("test/frameworks/mpi/suite.py", "test/frameworks")])
def test_Readme_OfTestsAndScripts_IsNeeded(tree, path, folder):
    plant(tree, path, "")
    assert [problem.message.split(" has no ")[0] for problem in problems(tree, "readme")] == [folder]
    plant(tree, f"{folder}/README.md", "Words.")
    assert problems(tree, "readme") == []


def test_Class_DefinedInTwoFiles_IsFound(tree):
    plant(tree, "core/agent/agent.cc", "void Agent::begin() {}\nvoid Agent::end() {}")
    assert problems(tree, "class") == []
    plant(tree, "core/agent/agent_watch.cc", "void Agent::watch() {}")
    assert [problem.path for problem in problems(tree, "class")] == ["core/agent/agent_watch.cc"]


def test_the_line_is_right_behind_comments_and_strings(tree):
    plant(tree, "core/base/a.cc", '/* one\ntwo */\nauto s = R"(\n\n)";\nint n = rand();')
    assert [problem.line for problem in check.problems_of(tree)] == [7]


def run_check(root):
    return subprocess.run([sys.executable, str(HERE / "check.py"), str(root)], capture_output=True, text=True)


def test_the_program_fails_on_a_breach(tree):
    assert run_check(tree).returncode == 0
    plant(tree, "core/base/a.cc", "int n = rand();")
    done = run_check(tree)
    assert (done.returncode, done.stdout.split(": ")[:2]) == (1, ["core/base/a.cc:2", "ban"])


def test_an_empty_tree_proves_nothing(tmp_path):
    done = run_check(tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert "no C++ file" in done.stderr


@pytest.fixture(name="breaches_of_the_tree", scope="module")
def fixture_breaches_of_the_tree():
    return check.problems_of(ROOT)


@pytest.mark.parametrize("rule", RULES)
def test_the_tree_keeps(rule, breaches_of_the_tree):
    breaches = [str(problem) for problem in breaches_of_the_tree if problem.rule == rule]
    assert not breaches, "\n" + "\n".join(breaches)


def test_every_figure_can_be_imported():
    done = subprocess.run([sys.executable, str(ROOT / "test/bench/bench.py"), "--help"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
