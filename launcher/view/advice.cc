#include "launcher/view/advice.h"

#include <algorithm>
#include <array>
#include <csignal>

#include "core/model/job_spec.h"
#include "core/model/peer_error.h"
#include "launcher/view/attempts_view.h"

namespace muster {
namespace {

struct Known {
  bool (*matches)(const ExitStatus& exit);
  const char* text;
};

bool says(const ExitStatus& exit, std::string_view words) { return exit.detail.find(words) != std::string::npos; }

bool signalled(const ExitStatus& exit, int number) {
  return exit.kind == ExitStatus::Kind::signalled && exit.signal == number;
}

constexpr std::array<Known, 14> known{{
    {[](const ExitStatus& e) { return !peer_error(e).empty(); },
     "the network between the hosts (muster doctor): a connection was lost, and no rank had failed before"},
    {[](const ExitStatus& e) { return says(e, "CUDA out of memory") || says(e, "OutOfMemoryError"); },
     "a smaller batch, gradient accumulation, or PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True"},
    {[](const ExitStatus& e) { return e.oom; },
     "a higher worker.memory, fewer workers per node, or fewer DataLoader workers"},
    {[](const ExitStatus& e) { return says(e, "ModuleNotFoundError"); },
     "the interpreter that has the module: muster doctor names the one that ranks get; or write its path into "
     "command"},
    {[](const ExitStatus& e) { return says(e, "EOF when reading a line"); },
     "ranks read no stdin; --tty 0 gives rank 0 your terminal"},
    {[](const ExitStatus& e) { return says(e, "Address already in use"); },
     "leave MASTER_PORT unset: muster gives each attempt a port of its own"},
    {[](const ExitStatus& e) { return says(e, "No space left on device"); },
     "muster doctor shows what is full; muster rm frees old output"},
    {[](const ExitStatus& e) { return says(e, "Too many open files"); }, "ulimit -n 65536 before muster run"},
    {[](const ExitStatus& e) { return signalled(e, SIGBUS); },
     "more shared memory (muster doctor), or num_workers=0 in the DataLoader"},
    {[](const ExitStatus& e) { return signalled(e, SIGSEGV) || signalled(e, SIGABRT) || signalled(e, SIGILL); },
     "PYTHONFAULTHANDLER=1 in env shows the Python lines; ulimit -c unlimited keeps a core"},
    {[](const ExitStatus& e) { return signalled(e, SIGKILL); },
     "dmesg or the machine's owner: something outside muster killed it"},
    {[](const ExitStatus& e) { return e.kind == ExitStatus::Kind::not_started; },
     "muster run --dry-run shows the command; its first word must be a program"},
    {[](const ExitStatus& e) { return e.kind == ExitStatus::Kind::exited && e.code == 127; },
     "a program that the script calls is not in PATH"},
    {[](const ExitStatus& e) { return e.kind == ExitStatus::Kind::exited && e.code == 126; },
     "chmod +x on the program that the script calls"},
}};

// "exit 2", "SIGSEGV": as restarts.never_on spells it.
std::string rule_for(const ExitStatus& exit) {
  if (exit.oom) return "oom";
  return exit.kind == ExitStatus::Kind::signalled ? signal_name(exit.signal) : "exit " + std::to_string(exit.code);
}

bool always_the_same(const std::vector<const AttemptView*>& attempts) {
  if (attempts.size() < 2) return false;
  return std::all_of(attempts.begin(), attempts.end(), [&](const AttemptView* attempt) {
    return attempt->culprit && same_end(attempt->culprit_exit, attempts.front()->culprit_exit);
  });
}

// By the words of core/runtime/node_setup: no rank has failed.
std::string advice_on_setup(const AttemptView& failure) {
  if (failure.cause.starts_with("setup failed on ")) return "its output, above that of ranks; muster explain E1409";
  if (failure.cause.find(" has no virtual environment ") != std::string::npos)
    return "another `python: {venv: …}`, or `setup` that makes it; muster explain E1410";
  return "";
}

}  // namespace

std::string advice(const JobView& job) {
  const AttemptView* failure = last_failure(job);
  const bool newest = failure != nullptr && failure == newest_attempt_of(job, failure->group);
  if (newest && !failure->culprit) return advice_on_setup(*failure);
  if (!newest) return "";
  const ExitStatus& exit = failure->culprit_exit;
  const auto found = std::find_if(known.begin(), known.end(), [&](const Known& each) { return each.matches(exit); });
  std::string text = found == known.end() ? "" : found->text;
  if (always_the_same(attempts_of(job, failure->group)) && exit.kind != ExitStatus::Kind::not_started) {
    text +=
        (text.empty() ? "" : "; ") + std::string("restarts.never_on: [") + rule_for(exit) + "] to stop at the first";
  }
  return text;
}

}  // namespace muster
