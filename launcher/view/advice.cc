// SPDX-License-Identifier: Apache-2.0
#include "launcher/view/advice.h"

#include <algorithm>
#include <array>
#include <csignal>

#include "core/client/view/attempts_view.h"
#include "core/framework/framework.h"
#include "core/job/failure_rule.h"
#include "core/job/file/job_yaml.h"
#include "core/job/job_spec.h"
#include "core/job/peer_error.h"
#include "core/job/raised.h"

namespace muster {
namespace {

struct Known {
  bool (*matches)(const ExitStatus& exit);
  const char* text;
};

bool says(const ExitStatus& exit, std::string_view words) { return exit.detail.find(words) != std::string::npos; }

// A shell exits with 128 + the signal that ended its program.
bool signalled(const ExitStatus& exit, int number) {
  constexpr int kSignalBase = 128;
  if (exit.kind == ExitStatus::Kind::exited) return exit.code == kSignalBase + number;
  return exit.kind == ExitStatus::Kind::signalled && exit.signal == number;
}

constexpr std::array<Known, 14> known{{
    {[](const ExitStatus& e) { return says(e, "CUDA out of memory") || says(e, "OutOfMemoryError"); },
     "a smaller batch, gradient accumulation, or PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True"},
    {[](const ExitStatus& e) { return e.oom || e.trace.find("for lack of memory at that time") != std::string::npos; },
     "a higher worker.memory, fewer workers per node, or fewer DataLoader workers"},
    {[](const ExitStatus& e) { return says(e, "ModuleNotFoundError"); },
     "use a Python that has the module: muster doctor shows which Python ranks get; or write its path into command"},
    {[](const ExitStatus& e) { return says(e, "Address already in use"); },
     "do not set MASTER_PORT: muster chooses a new port for each attempt"},
    {[](const ExitStatus& e) { return e.kind == ExitStatus::Kind::signalled && says(e, "its guardian died"); },
     "see dmesg, or ask the administrator: something outside muster killed the guardian (the parent of the agent)"},
    {[](const ExitStatus& e) { return says(e, "No space left on device") || says(e, "output could not be stored"); },
     "muster doctor shows which disk is full; muster rm deletes old output"},
    {[](const ExitStatus& e) { return says(e, "Too many open files"); }, "run ulimit -n 65536 before muster run"},
    {[](const ExitStatus& e) { return says(e, "DataLoader worker was killed by SIGKILL"); },
     "check dmesg: the kernel may have killed the worker for its memory. Use fewer workers (num_workers) or a smaller "
     "prefetch_factor"},
    {[](const ExitStatus& e) { return signalled(e, SIGBUS) || says(e, "DataLoader worker was killed by SIGBUS"); },
     "more shared memory (muster doctor), or num_workers=0 in the DataLoader"},
    {[](const ExitStatus& e) { return e.trace.find("another process sent SIGKILL") != std::string::npos; },
     "look for kill and os.kill in the program; if it has none, ask the administrator which process sends SIGKILL"},
    {[](const ExitStatus& e) { return signalled(e, SIGKILL); },
     "see dmesg, or ask the administrator: something outside muster killed the rank"},
    {[](const ExitStatus& e) { return e.kind == ExitStatus::Kind::not_started; },
     "muster run --dry-run shows the command; its first word must be a program"},
    {[](const ExitStatus& e) { return e.kind == ExitStatus::Kind::exited && e.code == 127; },
     "a program that the script calls is not in PATH"},
    {[](const ExitStatus& e) { return e.kind == ExitStatus::Kind::exited && e.code == 126; },
     "chmod +x on the program that the script calls"},
}};

bool crashed(const ExitStatus& exit) {
  return signalled(exit, SIGSEGV) || signalled(exit, SIGABRT) || signalled(exit, SIGILL);
}

bool runs_python(const JobView& job) {
  return job.spec_json.find("python") != std::string::npos || job.spec_json.find(".py\"") != std::string::npos;
}

std::string advice_for_crash(const JobView& job, const ExitStatus& exit) {
  const bool shown = exit.trace.find("(most recent call first)") != std::string::npos ||
                     job.spec_json.find("PYTHONFAULTHANDLER") != std::string::npos;
  const std::string lines = runs_python(job) && !shown ? "PYTHONFAULTHANDLER=1 in env shows the Python lines" : "";
  const std::string core = exit.core_file.empty() ? "ulimit -c unlimited keeps a core file" : "";
  return lines + (lines.empty() || core.empty() ? "" : "; ") + core;
}

bool on_several_hosts(const JobView& job) {
  return std::any_of(job.ranks.begin(), job.ranks.end(),
                     [&](const RankView& rank) { return rank.host != job.ranks.front().host; });
}

// For a rank that lost a peer, or whose wait for a peer timed out, although no other rank had failed.
std::string advice_for_peer(const JobView& job, const ExitStatus& exit) {
  const bool late = says(exit, "imed out") || says(exit, "timeout");
  const std::string what = late ? "came late to a collective, or not at all" : "closed its connections";
  if (on_several_hosts(job) && !late)
    return "check the network between the hosts (muster doctor): a connection was lost, and no rank had failed before";
  const std::string others =
      "muster logs " + job.name + " shows all ranks: one " + what + ", and none had failed before";
  return others + (on_several_hosts(job) ? "; or check the network between the hosts (muster doctor)" : "");
}

// "RuntimeError" of "torch.cuda.OutOfMemoryError: … at train.py:41".
std::string exception_rule(const std::string& detail) {
  std::string name = detail.substr(0, detail.find_first_of(": "));
  name.erase(0, name.rfind('.') + 1);  // npos + 1 is 0
  return "exception " + name;
}

// "exit 2", "SIGSEGV", "exception RuntimeError": as restarts.never_on spells it.
std::string rule_for(const ExitStatus& exit) {
  if (exit.oom) return "oom";
  if (exit.success()) return "hang";  // the rank had not ended
  if (const std::string rule = exception_rule(exit.detail); raised(exit) && parse_failure_rule(rule)) return rule;
  return exit.kind == ExitStatus::Kind::signalled ? signal_name(exit.signal) : "exit " + std::to_string(exit.code);
}

bool always_the_same(const std::vector<const AttemptView*>& attempts) {
  if (attempts.size() < 2) return false;
  return std::all_of(attempts.begin(), attempts.end(), [&](const AttemptView* attempt) {
    return attempt->culprit && same_end(attempt->culprit_exit, attempts.front()->culprit_exit);
  });
}

// For failures of setup, recognized by the messages of core/agent/provision/node_setup.
std::string advice_on_setup(const AttemptView& failure) {
  if (failure.cause.starts_with("setup failed on "))
    return "see its output, above that of the ranks; muster explain E1409";
  if (failure.cause.find(" has no virtual environment ") != std::string::npos)
    return "name another folder in `python: {venv: …}`, or create it in `setup`; muster explain E1410";
  return "";
}

// Names only flags that the job's own command takes. Jobs of muster torchrun have its macros.
std::string advice_on_input(const JobView& job) {
  const JobSpec spec = parse_job_json(job.spec_json, job.name).spec;
  if (spec.torch.macros && job.backend != "typed")
    return "rank 0 reads the stdin of muster torchrun, and the other ranks read an empty one";
  if (spec.torch.macros || spec.backend == BackendKind::kubernetes)
    return "stdin of ranks is empty; give the program its input in a file";
  if (spec.backend == BackendKind::ssh) return "stdin of ranks is empty; --tty RANK connects one rank to your terminal";
  return "stdin of ranks is empty; --stdin RANK gives a rank your pipe or file, --tty RANK your terminal";
}

bool lacks_variables_of_torch(const std::string& framework) {
  const auto& all = all_frameworks();
  return std::any_of(all.begin(), all.end(), [&](Framework each) {
    return to_string(each) == framework && !framework_info(each).meets_in_store;
  });
}

// For a rank that looks for variables of torchrun, or for a GPU by LOCAL_RANK, and whose framework has none.
std::string advice_on_framework(const JobView& job, const ExitStatus& exit) {
  constexpr std::string_view way = "write framework: torch, or type --framework torch";
  if (lacks_variables_of_torch(job.framework)) {
    for (const std::string name :
         {"RANK", "LOCAL_RANK", "WORLD_SIZE", "LOCAL_WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT"})
      if (says(exit, "KeyError: '" + name + "'") || says(exit, "variable " + name + " expected, but not set"))
        return std::string(way) + ": framework " + job.framework + " does not set " + name;
  }
  const bool own_gpus = job.framework == to_string(Framework::any) || job.framework == to_string(Framework::mpi);
  if (own_gpus && says(exit, "device ordinal"))
    return std::string(way) + ": framework " + job.framework + " shows each rank only its own GPUs";
  return "";
}

std::string advice_for(const JobView& job, const ExitStatus& exit) {
  if (std::string text = advice_on_framework(job, exit); !text.empty()) return text;
  if (says(exit, "EOF when reading a line") || says(exit, "BdbQuit")) return advice_on_input(job);
  const auto found = std::find_if(known.begin(), known.end(), [&](const Known& each) { return each.matches(exit); });
  if (found != known.end()) return found->text;
  if (!peer_error(exit).empty()) return advice_for_peer(job, exit);
  return crashed(exit) ? advice_for_crash(job, exit) : "";
}

// Whether a restart may help: after a kill from outside, a crash or a lost peer, but not after an exception of the program.
bool may_pass(const ExitStatus& exit) {
  const bool killed = signalled(exit, SIGKILL) || signalled(exit, SIGBUS) || crashed(exit);
  return !exit.oom && (killed || !peer_error(exit).empty());
}

// Suggests restarts if the job had none.
std::string advice_on_restarts(const JobView& job, const ExitStatus& exit) {
  const bool none = job.state == "failed" && job.restart_limit == 0 && job.attempts.size() == 1;
  return none && may_pass(exit) ? "--restarts 3 restarts the job after such a failure" : "";
}

}  // namespace

std::string advice(const JobView& job) {
  const AttemptView* failure = last_failure(job);
  // What would have prevented the restart.
  if (failure != nullptr && failure->culprit && job.state == "succeeded") return advice_for(job, failure->culprit_exit);
  const bool newest = failure != nullptr && failure == newest_attempt_of(job, failure->group);
  if (newest && !failure->culprit) return advice_on_setup(*failure);
  if (!newest) return "";
  const ExitStatus& exit = failure->culprit_exit;
  std::string text = advice_for(job, exit);
  if (always_the_same(attempts_of(job, failure->group)) && exit.kind != ExitStatus::Kind::not_started) {
    text += (text.empty() ? "" : "; ") + std::string("restarts.never_on: [") + rule_for(exit) +
            "] to fail at once, without restarts";
  }
  const std::string restarts = advice_on_restarts(job, exit);
  if (!restarts.empty()) text += (text.empty() ? "" : "; ") + restarts;
  return text;
}

}  // namespace muster
