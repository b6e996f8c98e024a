// SPDX-License-Identifier: Apache-2.0
// SshHosting: the ssh backend of a controller, with the user's ssh, or other links to hosts, and a server for the agents on hosts. Uses
// no resources until a job has hosts. Loop thread only.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "backends/ssh/session/ssh_host_links.h"
#include "backends/ssh/ssh_backend.h"
#include "core/client/caller_context.h"
#include "core/wire/grpc_server.h"
#include "launcher/composition/wire.h"

namespace muster {

class SshHosting {
 public:
  // `links` makes the links; empty: the user's ssh. The references must outlive the object.
  SshHosting(const CallerContext& caller, FdLoop& loop, Log& log, const MakeHostLinks& links);

  SshBackend& backend() { return backend_; }

 private:
  std::unique_ptr<HostLinks> ssh_links();
  Result<std::shared_ptr<const HostAccess>> access_for(const std::map<std::string, std::string>& environment);
  void take(UniqueFd stream, const std::string& peer);

  const CallerContext& caller_;
  FdLoop& loop_;
  std::shared_ptr<const HostAccess> access_;
  std::unique_ptr<HostLinks> links_;
  SshBackend backend_;
  std::unique_ptr<GrpcServer> server_;
};

}  // namespace muster
