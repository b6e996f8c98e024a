// SPDX-License-Identifier: Apache-2.0
#include "launcher/cli/job_flag_lines.h"

#include "core/base/text.h"

namespace muster {
namespace {

std::vector<std::string> other_variables(const JobFlags& flags) {
  std::vector<std::string> names;
  for (const JobFlags::Mirror& mirror : flags.mirrors) {
    if (mirror.key != "workers") names.push_back(mirror.variable);
  }
  return names;
}

}  // namespace

void declare_host_flags(CommandLine& line, JobFlags& flags) {
  for (JobFlags::Mirror& mirror : flags.mirrors) {
    if (mirror.key == "hosts") line.value(mirror.names, mirror.placeholder, mirror.value, mirror.help);
  }
  line.value("--hostfile", "FILE", flags.hostfile, "hosts from a file, one per line: NAME, NAME:4 or NAME slots=4");
}

void declare_backend_flag(CommandLine& line, JobFlags& flags) {
  for (JobFlags::Mirror& mirror : flags.mirrors) {
    if (mirror.key == "backend") line.value(mirror.names, mirror.placeholder, mirror.value, mirror.help);
  }
}

void declare_job_flags(CommandLine& line, JobFlags& flags) {
  for (JobFlags::Mirror& mirror : flags.mirrors) {
    if (mirror.key != "hosts") line.value(mirror.names, mirror.placeholder, mirror.value, mirror.help);
  }
  declare_host_flags(line, flags);
  line.values("-e,--env", "K[=V]", flags.env,
              "a variable of the ranks; K alone takes its value from this shell, as a secret");
  line.values("--label", "K=V", flags.labels, "a label of the job");
  line.values("--set", "KEY=VALUE", flags.set, "set any key of the job file, such as restarts.limit=3");
  line.note("Environment variables are defaults for flags: MUSTER_WORKERS=4 means -n 4. The others are " +
            join(other_variables(flags), ", ") + ". For all keys of a job file, see muster help --man job.");
}

}  // namespace muster
