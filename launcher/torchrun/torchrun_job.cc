// SPDX-License-Identifier: Apache-2.0
#include "launcher/torchrun/torchrun_job.h"

#include <unistd.h>

#include "core/base/random.h"
#include "core/base/text.h"
#include "core/client/beginning_of.h"
#include "core/client/guess/stdin_program.h"
#include "core/client/python_choice.h"
#include "core/client/submission/job_folder.h"
#include "core/client/submission/job_name.h"
#include "core/framework/framework.h"
#include "core/system/hwloc/cpu_topology.h"
#include "core/system/linux/host_name.h"
#include "launcher/composition/wire.h"
#include "launcher/torchrun/program.h"

namespace muster {
namespace {

constexpr const char* kNowhere = "/dev/null";

// Counts CPUs like torch: those that this process may run on.
uint32_t usable_cpus() {
  const auto ours = static_cast<uint32_t>(affinity_cpus().size());
  if (ours > 0) return ours;
  const long configured = sysconf(_SC_NPROCESSORS_ONLN);
  return configured > 0 ? static_cast<uint32_t>(configured) : 1;
}

TorchrunFacts facts_of(const CallerContext& caller) {
  return {.environment = caller.environment,
          .cpus = usable_cpus(),
          .gpus = [&caller] { return gpus_here(caller); },
          .seed = caller.seed};
}

bool to_nowhere(const TorchrunFlags& flags) { return flags.log_dir == kNowhere; }

// Variables that torchrun's launcher sets for its workers, except those that torch.cc sets.
std::map<std::string, EnvValue> environment_of(const TorchrunFlags& flags, const CallerContext& caller) {
  constexpr const char* kept = "TORCH_NCCL_ASYNC_ERROR_HANDLING";
  std::map<std::string, EnvValue> env;
  env["TORCHELASTIC_SIGNALS_TO_HANDLE"].literal = flags.signals_to_handle;
  if (const auto found = caller.environment.find(kept); found != caller.environment.end()) {
    env[kept].literal = found->second;
  }
  if (to_nowhere(flags)) env["TORCHELASTIC_ERROR_FILE"].literal = "";
  return env;
}

// As with torchrun, ranks see all GPUs and get none assigned, so two jobs may share them. With virtual local ranks each rank gets one.
GroupSpec group_of(const TorchrunFlags& flags, const TorchrunSettings& settings, std::vector<std::string> command) {
  GroupSpec group;
  group.workers = {false, settings.ranks};
  group.worker.gpus = {flags.virtual_local_rank, 0};
  group.command = std::move(command);
  return group;
}

NumaBinding binding_of(const std::optional<std::string>& word) {
  using enum NumaBinding;
  for (const NumaBinding each : {node, socket, exclusive, core_complex}) {
    if (word == to_string(each)) return each;
  }
  return none;
}

// Settings of muster, read from variables: new flags could conflict with flags of a later torch.
struct OwnSettings {
  bool warm = true;
  StoreHost store = StoreHost::hosted;
};

Result<OwnSettings> own_settings(const CallerContext& caller) {
  OwnSettings own;
  const std::string warm = caller.variable("MUSTER_WARM").value_or("");
  if (!warm.empty() && warm != "auto" && warm != "off")
    return Status(Code::invalid_argument, "MUSTER_WARM wants auto or off, not `" + escaped(warm) + "`");
  own.warm = warm != "off";
  const std::string store = caller.variable("MUSTER_STORE").value_or("");
  for (const StoreHost each : {StoreHost::hosted, StoreHost::proxy, StoreHost::program}) {
    if (store == to_string(each)) own.store = each;
  }
  if (!store.empty() && store != to_string(own.store))
    return Status(Code::invalid_argument, "MUSTER_STORE wants hosted, proxy or program, not `" + escaped(store) +
                                              "`; it chooses who serves the torch store");
  return own;
}

JobSpec spec_of(const TorchrunFlags& flags, const TorchrunSettings& settings, std::vector<std::string> command,
                const OwnSettings& own, const CallerContext& caller) {
  JobSpec spec;
  spec.framework = Framework::torch;
  spec.store = own.store;
  spec.torch.run_id = settings.run_id;
  spec.torch.role = flags.role;
  spec.torch.virtual_local_rank = flags.virtual_local_rank;
  spec.torch.macros = true;
  spec.torch.numa_binding = binding_of(flags.numa_binding);
  if (!own.warm) spec.warm.mode = WarmSpec::Mode::off;
  spec.groups = {group_of(flags, settings, std::move(command))};
  spec.workdir = job_folder("", ".", caller);
  spec.env = environment_of(flags, caller);
  if (settings.meeting) spec.timeouts.start = settings.meeting->patience;  // to replace a lost host
  spec.restarts.limit = settings.restarts;
  spec.restarts.crash_loop = 0;  // torchrun restarts as often as it was told
  spec.restarts.min_backoff = spec.restarts.max_backoff = Duration(0);
  spec.restarts.grace = spec.timeouts.stop = settings.shutdown;
  Random random(caller.seed);
  const std::vector<std::string> called = flags.module ? std::vector<std::string>{"python", "-m", flags.training_script}
                                                       : std::vector<std::string>{flags.training_script};
  spec.name = make_job_name(program_word(called), random);
  return spec;
}

}  // namespace

bool TorchrunJob::wants_folder() const { return !to_nowhere(flags) && (flags.log_dir || !rules.files().empty()); }

Result<TorchrunJob> torchrun_job(const TorchrunFlags& flags, const CallerContext& caller) {
  if (caller.workdir.empty())
    return Status(Code::invalid_argument, "the folder you are in was removed; cd to one that is there");
  auto settings = settle_torchrun(flags, facts_of(caller));
  if (!settings.ok()) return settings.status();
  auto command = torchrun_command(flags, {caller.environment, caller.workdir, caller.called});
  if (!command.ok()) return command.status();
  if (flags.run_path && names_stdin(flags.training_script))
    return Status(Code::invalid_argument, "--run-path cannot run standard input; leave --run-path out, or name a file");
  const auto text_of_stdin = [](size_t most) { return without_macros(beginning_of_stdin(most)); };
  command = with_stdin_program(*command, {caller.stdin_tty, text_of_stdin});
  if (!command.ok()) return command.status();
  const auto own = own_settings(caller);
  if (!own.ok()) return own.status();
  const bool python = !flags.no_python || flags.run_path;
  if (python && flags.module && !flags.run_path) {
    const Status found = find_module(command->front(), flags.training_script, caller.environment, caller.workdir);
    if (!found.ok()) return found;
  }
  TorchrunJob job{.flags = flags,
                  .settings = *settings,
                  .rules = OutputRules(*settings, flags.role, host_name(), to_nowhere(flags)),
                  .interpreter = python ? command->front() : ""};
  job.draft.origin = "the command line";
  job.draft.spec = spec_of(flags, *settings, std::move(*command), *own, caller);
  job.draft.remarks = settings->remarks;
  const std::string other =
      python && !caller.variable("PYTHON_EXEC")
          ? environment_remark(job.interpreter, caller.environment, "set PYTHON_EXEC=$ for that one")
          : "";
  if (!other.empty()) job.draft.remarks.push_back(other);
  return job;
}

}  // namespace muster
