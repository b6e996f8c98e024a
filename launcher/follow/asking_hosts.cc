// SPDX-License-Identifier: Apache-2.0
#include "launcher/follow/asking_hosts.h"

#include <algorithm>
#include <iterator>

#include "backends/ssh/hosts/host_access.h"

namespace muster {

void AskingHosts::saw(const std::vector<std::string>& hosts) {
  if (survey_ || !context_.caller.interactive()) return;
  const std::set<std::string> asking(hosts.begin(), hosts.end());
  std::set<std::string> fresh;
  std::set_difference(asking.begin(), asking.end(), known_.begin(), known_.end(), std::inserter(fresh, fresh.end()));
  known_ = asking;
  if (!fresh.empty()) visit(fresh);
}

void AskingHosts::visit(const std::set<std::string>& hosts) {
  auto access = host_access(context_.caller);
  if (!access.ok()) return presenter_.remark(access.status().message());
  std::vector<ListedHost> listed;
  for (const std::string& host : hosts) {
    listed.emplace_back();
    listed.back().name = host;
  }
  survey_ = std::make_unique<HostSurvey>(
      loop_, std::move(*access), std::move(listed), true, HostSurvey::Question{HostSurvey::Depth::machine},
      HostSurvey::Handlers{[this](const HostReport& report) { visited(report); },
                           [this](const std::string& host) { presenter_.remark(host + " asks:"); },
                           // Destroyed later: this runs inside of the survey.
                           [this] { loop_.post([gone = std::shared_ptr<HostSurvey>(std::move(survey_))] {}); }});
}

void AskingHosts::visited(const HostReport& report) {
  if (report.facts)
    return presenter_.remark("ssh to " + report.host.name + " works now: the job will connect to it again soon");
  const std::string& next = report.trouble.next;
  presenter_.remark(report.host.name + ": " + report.trouble.sentence + (next.empty() ? "" : "; " + next));
}

}  // namespace muster
