"""The tree keeps its rules, and the rules can tell: each planted breach is found, each lookalike is left alone."""

import pathlib
import subprocess
import sys

import pytest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(HERE))

import check  # noqa: E402

RULES = ("arrow", "fence", "ban", "mutex", "sleep", "length", "reminder", "place")
LONG = "\n".join(f"  total += {i};" for i in range(80))

# path, text, the rule that must speak, a word of its advice
PLANTED = [
    ("core/base/a.h", '#include "core/job/plan/plan.h"', "arrow", "nothing of ours"),
    ("core/model/a.cc", '#include "core/machine/job/job.h"', "arrow", "core/base"),
    ("core/framework/a.cc", '#include "core/port/loop.h"', "arrow", "core/model"),
    ("core/machine/job/a.cc", '#include "core/agent/agent.h"', "arrow", "core/model"),
    ("core/port/a.h", '#include "core/machine/job/job.h"', "arrow", "core/model"),
    ("core/runtime/a.cc", '  #  include "core/adapter/asio/loop.h"', "arrow", "core/port"),
    ("core/adapter/grpc/a.cc", '#include "core/agent/agent.h"', "arrow", "core/port"),
    ("core/adapter/grpc/a.cc", '#include "core/machine/job/job.h"', "arrow", "core/port"),
    ("core/worker/a.cc", '#include "core/job/plan/plan.h"', "arrow", "core/base"),
    ("backends/local/a.cc", '#include "core/agent/agent.h"', "arrow", "core/port"),
    ("backends/local/a.cc", '#include "backends/ssh/ssh.h"', "arrow", "backend ssh"),
    ("backends/local/a.cc", '#include "backends/testing/fake.h"', "arrow", "backend testing"),
    ("core/runtime/a.cc", '#include "test/sim/sim_loop.h"', "arrow", "core/port"),
    ("test/sim/a.cc", '#include "launcher/main.h"', "arrow", "core/runtime"),
    ("core/runtime/a.cc", '#include "proto/agent.pb.h"', "fence", "core/port"),
    ("core/adapter/asio/a.cc", "#include <grpcpp/server.h>", "fence", "core/adapter/grpc"),
    ("launcher/a.cc", "#include <google/protobuf/message.h>", "fence", "core/adapter/grpc"),
    ("launcher/a.cc", "#include <boost/asio.hpp>", "fence", "core/adapter/asio"),
    ("core/runtime/a.cc", "#include <sqlite3.h>", "fence", "job_store.h"),
    ("core/runtime/a.cc", "#include <spdlog/spdlog.h>", "fence", "log.h"),
    ("core/model/a.cc", "#include <CLI/CLI.hpp>", "fence", "launcher"),
    ("core/adapter/nvml/a.cc", "#include <hwloc.h>", "fence", "core/adapter/hwloc"),
    ("core/worker/collective/a.cc", "#include <gloo/context.h>", "fence", "gloo_abi.h"),
    ("core/model/a.h", "#include <yaml-cpp/yaml.h>", "fence", "one .cc"),
    ("launcher/a.cc", "#include <yaml-cpp/yaml.h>", "fence", "job_yaml.h"),
    ("core/model/a.h", "#include <nlohmann/json_fwd.hpp>", "fence", ".cc"),
    ("core/machine/a.cc", "auto t = std::chrono::steady_clock::now();", "ban", "Loop::now()"),
    ("core/model/a.cc", "auto t = time(nullptr);", "ban", "Loop::now()"),
    ("core/base/a.cc", "::clock_gettime(CLOCK_MONOTONIC, &t);", "ban", "Loop::now()"),
    ("core/runtime/a.cc", "std::this_thread::sleep_for(1s);", "ban", "Loop::at"),
    ("core/runtime/a_test.cc", "usleep(10);", "ban", "Loop::at"),
    ("core/runtime/a.cc", "std::thread pump([] {});", "ban", "Loop::post"),
    ("core/runtime/a.cc", "auto later = std::async(work);", "ban", "Loop::post"),
    ("core/machine/a.cc", "std::mt19937 generator;", "ban", "random.h"),
    ("core/framework/a.cc", "int n = rand();", "ban", "random.h"),
    ("core/framework/a.cc", 'std::getenv("HOME");', "ban", "arguments"),
    ("core/framework/a.cc", "for (char** e = environ; *e; ++e) {}", "ban", "arguments"),
    ("core/runtime/a.cc", "if (::fork() == 0) return;", "ban", "process_host.h"),
    ("core/runtime/a.cc", 'system("true");', "ban", "process_host.h"),
    ("core/base/a.h", "std::mutex guard_;", "mutex", "mutex:"),
    ("launcher/a.cc", "std::recursive_mutex guard;", "mutex", "loop"),
    ("core/adapter/asio/a_test.cc", "std::this_thread::sleep_for(1s);", "sleep", "wait for"),
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
]

CLEAN = [
    ("core/runtime/a.cc", '#include "core/machine/job/job.h"\n#include "core/port/loop.h"\n#include "core/framework/torch.h"'),
    ("core/runtime/a.cc", '// #include "launcher/main.h"\n/* steady_clock\n std::thread */ const char* s = "getenv(fork())";'),
    ("core/machine/a.cc", "TimePoint time(Duration(0)); auto x = state.random(); host->fork(); policy.sleep(3); int big = 1'000'000;"),
    ("core/machine/a.cc", 'auto s = R"x(std::thread "sleep(1)")x"; char quote = \'"\'; int operand;'),
    ("core/port/process_host.h", "virtual void kill(Pid pid, int signal) = 0;"),
    ("core/adapter/grpc/a.cc", '#include "proto/agent.pb.h"\n#include <grpcpp/server.h>\nstd::mutex guard; std::thread pump;'),
    ("core/job/file/job_yaml.cc", "#include <yaml-cpp/yaml.h>"),
    ("backends/registry.cc", '#include "backends/local/local.h"\n#include "backends/ssh/ssh.h"'),
    ("backends/local/a_test.cc", '#include "backends/testing/conformance.h"'),
    ("test/sim/world.h", '#include "backends/testing/fake.h"\n#include "core/agent/agent.h"'),
    ("core/runtime/a_test.cc", '#include "backends/testing/fake.h"\n#include "test/sim/sim_loop.h"'),
    ("launcher/a.cc", "// mutex: the signal handler's thread hands its number over here\nstd::mutex guard;"),
    ("test/e2e/waiting.py", "import time\ntime.sleep(0.01)"),
    ("test/e2e/test_a.py", 'command = ["sleep", "60"]  # time passes\n'),
    ("core/base/a.cc", "int sum(int total) {\n" + "  total += 1;\n" * 60 + "}"),
    ("core/model/a_test.cc", 'bool rewrite = std::getenv("MUSTER_REWRITE") != nullptr;'),
    ("scripts/a.sh", 'cd "$home/work/main"; mktemp -d /tmp/a.XXXXXX'),
]


def plant(root, path, text):
    place = root / path
    place.parent.mkdir(parents=True, exist_ok=True)
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
    plant(tree, path, text)
    assert check.problems_of(tree) == []


def test_every_rule_has_a_planted_breach():
    assert {row[2] for row in PLANTED} == set(RULES)


def test_targets_follow_the_arrows(tree):
    plant(tree, "core/base/CMakeLists.txt", "muster_module(base)")
    plant(tree, "core/machine/CMakeLists.txt", "muster_module(machine DEPENDS base)")
    plant(tree, "core/adapter/grpc/CMakeLists.txt", "muster_module(adapter_grpc\n  DEPENDS base machine\n  LIBRARIES deps::grpc)")
    plant(tree, "core/model/CMakeLists.txt", "muster_module(model)\ntarget_link_libraries(muster_model PUBLIC muster::machine)")
    found = [(problem.path, problem.rule) for problem in check.problems_of(tree)]
    assert found == [("core/adapter/grpc/CMakeLists.txt", "arrow"), ("core/model/CMakeLists.txt", "arrow")]


def test_yaml_stays_in_one_file(tree):
    plant(tree, "core/model/first.cc", "#include <yaml-cpp/yaml.h>")
    plant(tree, "core/model/second.cc", "#include <yaml-cpp/node/node.h>")
    assert [(problem.path, problem.rule) for problem in check.problems_of(tree)] == [("core/model/second.cc", "fence")]


def test_the_line_is_right_behind_comments_and_strings(tree):
    plant(tree, "core/base/a.cc", '/* one\ntwo */\nauto s = R"(\n\n)";\nint n = rand();')
    assert [problem.line for problem in check.problems_of(tree)] == [6]


def run_check(root):
    return subprocess.run([sys.executable, str(HERE / "check.py"), str(root)], capture_output=True, text=True)


def test_the_program_fails_on_a_breach(tree):
    assert run_check(tree).returncode == 0
    plant(tree, "core/base/a.cc", "int n = rand();")
    done = run_check(tree)
    assert (done.returncode, done.stdout.split(": ")[:2]) == (1, ["core/base/a.cc:1", "ban"])


def test_an_empty_tree_proves_nothing(tmp_path):
    done = run_check(tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert "no C++ file" in done.stderr


@pytest.mark.parametrize("rule", RULES)
def test_the_tree_keeps(rule):
    breaches = [str(problem) for problem in check.problems_of(ROOT) if problem.rule == rule]
    assert not breaches, "\n" + "\n".join(breaches)


def test_every_figure_can_be_imported():
    done = subprocess.run([sys.executable, str(ROOT / "test/bench/bench.py"), "--help"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
