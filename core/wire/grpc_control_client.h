// SPDX-License-Identifier: Apache-2.0
// GrpcControlClient: connects a command to the controller by gRPC (control.proto), at a UNIX socket or over a connected socket.
//
// Calls block the calling thread for at most 10 s. If nothing listens, a call fails at once with unavailable, and the next call
// connects again. Errors of the controller keep their code and message; errors of the transport name the socket.
//
// A client may be made and used on any one thread. `follow` and the object that it returns belong to the loop's thread, and the
// loop must outlive them. Destroying a follow waits (well below 1 ms) for gRPC's threads. A follow may outlive the client.
//
// A connected socket (the stdio of a program that is connected to the controller) is one connection: once it is lost, every call
// fails with unavailable.
#pragma once

#include <memory>
#include <string>

#include "core/port/control.h"
#include "core/port/loop.h"
#include "core/system/posix/unique_fd.h"

namespace muster {

// From now on, the channels of clients and gRPC itself are kept until the process ends, because shutting down gRPC takes 5 ms.
// Only for a process that ends by _exit(2), since gRPC's threads keep running. Loop thread.
void keep_grpc();

class GrpcControlClient final : public ControlClient {
 public:
  GrpcControlClient(Loop& loop, std::string socket_path);
  // `connection`: non-blocking. `who` names its other end in messages.
  GrpcControlClient(Loop& loop, UniqueFd connection, std::string who);
  ~GrpcControlClient() override;

  Result<JobView> submit(const SubmitRequest& request) override;
  Result<std::vector<JobView>> list(const ListRequest& request) override;
  Result<JobView> describe(const DescribeRequest& request) override;
  Status stop(const std::string& job, int signal, Duration grace) override;
  Result<JobView> arrange(const ArrangeRequest& request) override;
  Status remove(const std::string& job) override;
  Status type(const TtyBytes& typed) override;
  Status note_code(const std::string& job, const std::string& commit) override;
  Result<ControllerInfo> info() override;
  Result<Pruned> prune(const PruneRequest& request) override;
  Result<uint32_t> end_idle_agents() override;
  Status shutdown(bool force) override;
  std::unique_ptr<ExecChannel> exec(const ExecStart& start) override;
  std::unique_ptr<Following> follow(const FollowRequest& request, std::function<void(const FollowItem&)> on_item,
                                    std::function<void(const Status&)> on_end) override;

 private:
  struct Link;
  std::unique_ptr<Link> link_;
};

}  // namespace muster
