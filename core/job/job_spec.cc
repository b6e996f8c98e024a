// SPDX-License-Identifier: Apache-2.0
#include "core/job/job_spec.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "core/job/framework_names.h"

namespace muster {
namespace {

struct SignalName {
  std::string_view name;
  int number;
};

// signal(7), x86-64 and AArch64 Linux. If a number has several names, the first is printed.
constexpr std::array<SignalName, 34> kSignals = {
    {{"SIGHUP", 1},   {"SIGINT", 2},   {"SIGQUIT", 3},  {"SIGILL", 4},     {"SIGTRAP", 5},    {"SIGABRT", 6},
     {"SIGIOT", 6},   {"SIGBUS", 7},   {"SIGFPE", 8},   {"SIGKILL", 9},    {"SIGUSR1", 10},   {"SIGSEGV", 11},
     {"SIGUSR2", 12}, {"SIGPIPE", 13}, {"SIGALRM", 14}, {"SIGTERM", 15},   {"SIGSTKFLT", 16}, {"SIGCHLD", 17},
     {"SIGCLD", 17},  {"SIGCONT", 18}, {"SIGSTOP", 19}, {"SIGTSTP", 20},   {"SIGTTIN", 21},   {"SIGTTOU", 22},
     {"SIGURG", 23},  {"SIGXCPU", 24}, {"SIGXFSZ", 25}, {"SIGVTALRM", 26}, {"SIGPROF", 27},   {"SIGWINCH", 28},
     {"SIGIO", 29},   {"SIGPOLL", 29}, {"SIGPWR", 30},  {"SIGSYS", 31}}};

constexpr int kLastSignal = 64;
constexpr std::string_view kNumbered = "signal ";

std::optional<int> numbered_signal(std::string_view name) {
  if (!name.starts_with(kNumbered)) return std::nullopt;
  name.remove_prefix(kNumbered.size());
  int number = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  const bool whole = error == std::errc() && end == name.data() + name.size();
  if (!whole || number < 1 || number > kLastSignal) return std::nullopt;
  return number;
}

}  // namespace

const std::string& image_of(const JobSpec& spec, const GroupSpec& group) {
  return group.in_image.empty() ? spec.in_image.image : group.in_image;
}

bool uses_image(const JobSpec& spec) {
  return spec.backend != BackendKind::kubernetes &&
         std::any_of(spec.groups.begin(), spec.groups.end(),
                     [&](const GroupSpec& group) { return !image_of(spec, group).empty(); });
}

bool needs_setup(const JobSpec& spec) { return !spec.setup.empty() || !spec.python.venv.empty() || uses_image(spec); }

std::string_view to_string(Framework value) { return kFrameworkNames[static_cast<size_t>(value)]; }

std::string_view to_string(BackendKind value) {
  switch (value) {
    case BackendKind::local: return "local";
    case BackendKind::ssh: return "ssh";
    case BackendKind::kubernetes: return "kubernetes";
  }
  return "local";
}

std::string_view to_string(Placement value) {
  switch (value) {
    case Placement::block: return "block";
    case Placement::cyclic: return "cyclic";
  }
  return "block";
}

std::string_view to_string(SuccessRule value) {
  switch (value) {
    case SuccessRule::all: return "all";
    case SuccessRule::any: return "any";
    case SuccessRule::ignore: return "ignore";
    case SuccessRule::first: return "first";
    case SuccessRule::background: return "background";
  }
  return "all";
}

std::string_view to_string(World value) {
  switch (value) {
    case World::own: return "own";
    case World::shared: return "shared";
  }
  return "own";
}

std::string_view to_string(HangAction value) {
  switch (value) {
    case HangAction::report: return "report";
    case HangAction::dump: return "dump";
    case HangAction::restart: return "restart";
  }
  return "report";
}

std::string_view to_string(StoreHost value) {
  switch (value) {
    case StoreHost::hosted: return "hosted";
    case StoreHost::proxy: return "proxy";
    case StoreHost::program: return "program";
  }
  return "hosted";
}

std::string_view to_string(NumaBinding value) {
  switch (value) {
    case NumaBinding::none: return "none";
    case NumaBinding::node: return "node";
    case NumaBinding::socket: return "socket";
    case NumaBinding::exclusive: return "exclusive";
    case NumaBinding::core_complex: return "core-complex";
  }
  return "";
}

std::string_view to_string(LocalRankForm value) {
  switch (value) {
    case LocalRankForm::automatic: return "auto";
    case LocalRankForm::env: return "env";
    case LocalRankForm::argument: return "argument";
  }
  return "auto";
}

std::string_view to_string(LeftoverAction value) { return value == LeftoverAction::wait ? "wait" : "stop"; }

std::string_view to_string(BusyGpus value) {
  switch (value) {
    case BusyGpus::wait: return "wait";
    case BusyGpus::take: return "take";
  }
  return "wait";
}

std::string_view to_string(RestartMode value) {
  switch (value) {
    case RestartMode::gang: return "gang";
    case RestartMode::group: return "group";
    case RestartMode::none: return "none";
  }
  return "gang";
}

std::string to_string(const AutoCount& value) { return value.automatic ? "auto" : std::to_string(value.count); }

std::optional<int> signal_number(std::string_view name) {
  const auto found =
      std::find_if(kSignals.begin(), kSignals.end(), [&](const SignalName& each) { return each.name == name; });
  if (found == kSignals.end()) return numbered_signal(name);
  return found->number;
}

std::string signal_name(int number) {
  const auto found =
      std::find_if(kSignals.begin(), kSignals.end(), [&](const SignalName& each) { return each.number == number; });
  if (found == kSignals.end()) return std::string(kNumbered) + std::to_string(number);
  return std::string(found->name);
}

}  // namespace muster
