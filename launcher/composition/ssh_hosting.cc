// SPDX-License-Identifier: Apache-2.0
#include "launcher/composition/ssh_hosting.h"

#include <unistd.h>

#include "backends/ssh/code/snapshot.h"
#include "backends/ssh/hosts/host_access.h"
#include "backends/ssh/hosts/host_facts.h"
#include "core/client/connect/paths.h"

namespace muster {

namespace {

// `answer`: a line with the host's clock, then the facts as JSON.
Result<std::vector<Holder>> holders_in(const std::string& answer) {
  const size_t end = answer.find('\n');
  const auto facts = facts_from_json(end == std::string::npos ? "" : std::string_view(answer).substr(end + 1));
  if (!facts.ok()) return facts.status();
  return facts->holders;
}

}  // namespace

SshHosting::SshHosting(const CallerContext& caller, FdLoop& loop, Log& log, const MakeHostLinks& links)
    : caller_(caller),
      loop_(loop),
      links_(links ? links([this](UniqueFd stream, const std::string& peer) { take(std::move(stream), peer); })
                   : ssh_links()),
      backend_(loop, *links_, log, caller.seed ^ static_cast<uint64_t>(getpid())) {}

std::unique_ptr<HostLinks> SshHosting::ssh_links() {
  return std::make_unique<SshHostLinks>(
      loop_, [this](const auto& environment) { return access_for(environment); },
      [this](UniqueFd stream, const std::string& peer) { take(std::move(stream), peer); },
      [this](const std::string& hash) { return archive_path(code_archives(caller_), hash); },
      [](const std::string& answer) { return holders_in(answer); });
}

Result<std::shared_ptr<const HostAccess>> SshHosting::access_for(
    const std::map<std::string, std::string>& environment) {
  if (!access_) {
    auto access = host_access(caller_);
    if (!access.ok()) return access.status();
    access_ = std::move(*access);
  }
  return host_access_for(*access_, environment);
}

void SshHosting::take(UniqueFd stream, const std::string& peer) {
  if (!server_)
    server_ = GrpcServer::on_adopted(loop_, [this](ArrivedAgent agent) { backend_.agent_arrived(std::move(agent)); });
  server_->adopt(std::move(stream), peer);
}

}  // namespace muster
