// SPDX-License-Identifier: Apache-2.0
// Asks the hosts of a list or of a job what they have. Questions of ssh are shown on the terminal.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "backends/ssh/hosts/host_survey.h"
#include "backends/ssh/session/host_session.h"
#include "core/base/result.h"
#include "core/client/submission/job_draft.h"
#include "core/job/plan/job_host.h"
#include "launcher/cli/command.h"

namespace muster {

// The hosts of a command, as the user typed them.
struct HostWords {
  std::optional<std::string> words;
  std::optional<std::string> file;
};
void declare_host_words(CommandLine& line, HostWords& typed);

// nullopt: the error has been printed; exit with `code`.
std::optional<std::vector<ListedHost>> read_host_words(CommandContext& context, const HostWords& typed, int& code);

// In the order of the list, with their facts or the error. Shows progress on a terminal. Blocks until all hosts have answered or
// failed. not_found: this machine has no ssh.
Result<std::vector<HostReport>> visit_hosts(CommandContext& context, std::vector<ListedHost> hosts,
                                            const HostSurvey::Question& question);
std::vector<HostReport> visit_hosts(CommandContext& context, std::vector<ListedHost> hosts,
                                    std::shared_ptr<const HostAccess> access, const HostSurvey::Question& question);

// The hosts of a job with backend ssh, as they answered; empty for other backends. nullopt: the error has been printed, and `code`
// is the exit code. Adds to the draft's remarks.
std::optional<std::vector<JobHost>> visit_job_hosts(CommandContext& context, JobDraft& draft, int& code);

}  // namespace muster
