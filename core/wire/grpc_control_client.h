// GrpcControlClient: a command's way to the controller behind a UNIX socket, or a connected one, by gRPC (control.proto).
//
// Calls block the calling thread for at most 10 s; nobody at the socket fails at once with unavailable, and the
// next call connects anew. An error keeps the controller's code and sentence; one of the transport names the
// socket. May be made and used on any one thread; `follow` and what it returns belong to the loop's thread, and
// the loop must outlive them. A follow waits, well below a millisecond, for gRPC's threads when it is destroyed;
// it may outlive the client.
//
// Of a connected socket (the stdio of a program that leads there) there is one connection: once it is lost every call fails with unavailable.
#pragma once

#include <memory>
#include <string>

#include "core/port/control.h"
#include "core/port/loop.h"
#include "core/system/posix/unique_fd.h"

namespace muster {

// From now on clients leave their channels, and gRPC with them, to the end of the process: to shut it down takes 5 ms and
// joins its threads. For a process that ends by _exit(2), since those run on. Loop thread.
void keep_grpc();

class GrpcControlClient final : public ControlClient {
 public:
  GrpcControlClient(Loop& loop, std::string socket_path);
  // `connection`: non-blocking; `who` is at its other end, in sentences.
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
