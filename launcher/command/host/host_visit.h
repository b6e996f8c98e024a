// Asking the hosts of a list or of a job what they have, from a command: ssh's questions reach the terminal.
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

// Which hosts a command is about, as it was typed.
struct HostWords {
  std::optional<std::string> words;
  std::optional<std::string> file;
};
void declare_host_words(CommandLine& line, HostWords& typed);

// Nothing: it was said what is wrong; exit with `code`.
std::optional<std::vector<ListedHost>> read_host_words(CommandContext& context, const HostWords& typed, int& code);

// In the order of the list, with their facts or their trouble. Says how far it is on a terminal; blocks until all are done.
// not_found: this machine has no ssh.
Result<std::vector<HostReport>> visit_hosts(CommandContext& context, std::vector<ListedHost> hosts,
                                            HostSurvey::Depth depth = HostSurvey::Depth::all);
std::vector<HostReport> visit_hosts(CommandContext& context, std::vector<ListedHost> hosts,
                                    std::shared_ptr<const HostAccess> access,
                                    HostSurvey::Depth depth = HostSurvey::Depth::all);

// The hosts of a job of backend ssh as they were found; none of another. Nothing: it was said what is wrong, and `code` is the
// exit code. Adds to the draft's remarks.
std::optional<std::vector<JobHost>> visit_job_hosts(CommandContext& context, JobDraft& draft, int& code);

}  // namespace muster
