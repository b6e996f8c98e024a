// SPDX-License-Identifier: Apache-2.0
// Hosting: a controller with its ports and adapters in this process, for `muster serve` and `run --standalone`.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "backends/kubernetes/pod_backend.h"
#include "backends/local/local_backend.h"
#include "backends/typed/typed_backend.h"
#include "core/client/caller_context.h"
#include "core/controller/controller.h"
#include "core/system/asio/asio_loop.h"
#include "core/system/linux/process/linux_process_host.h"
#include "core/system/machine/linux_machine_info.h"
#include "core/system/machine/linux_machine_leases.h"
#include "core/system/spdlog/spd_log.h"
#include "core/system/store/file_job_store.h"
#include "core/system/store/output/file_output_files.h"
#include "core/system/store/output/file_output_keeper.h"
#include "core/system/store/state_lock.h"
#include "core/wire/grpc_server.h"
#include "launcher/composition/ssh_hosting.h"

namespace muster {

// For hosts that the user starts by hand: this is the first host, and the others connect to `here`.
struct TypedHosting {
  HostOffer first;
  TcpTarget here;
  Duration last_call{0};                           // last call of later attempts
  std::function<void()> changed;                   // a host joined or left
  std::function<void(const std::string&)> missed;  // a host has to be replaced
};

// For a job in pods, whose agents connect to `here`.
struct PodHosting {
  TcpTarget here;
};

struct HostingChoice {
  std::string state;   // the state folder; created if missing
  std::string socket;  // the Unix socket for commands and agents
  bool standalone = false;
  Duration idle{0};
  Duration warm_idle{0};
  std::optional<TypedHosting> typed;
  std::optional<PodHosting> pods;
  Retention retention;
  StateLock* lock = nullptr;  // of a controller; it outlives the hosting
  MakeHostLinks links = nullptr;
};

// Members are destroyed in reverse order: each one is destroyed before the members that it uses.
class Hosting {
 public:
  // Fails if the state folder cannot be written, or if the socket cannot be bound. `leave` is called when the controller is idle.
  static Result<std::unique_ptr<Hosting>> open(const CallerContext& caller, FdLoop& loop, const HostingChoice& choice,
                                               std::function<void()> leave);

  ~Hosting();

  Controller& controller() { return *controller_; }
  SpdLog& log() { return *log_; }
  LocalBackend& backend() { return *backend_; }
  TypedBackend& typed() { return *typed_; }                       // only with choice.typed
  PodBackend& pods() { return *pods_; }                           // only with choice.pods
  bool has_execs() const { return door_ && door_->has_links(); }  // other hosts are connected
  FileJobStore& store() { return *store_; }
  FileOutputFiles& output() { return *output_; }

 private:
  explicit Hosting(FdLoop& loop) : loop_(loop) {}
  Status listen();
  Status open_door(const TcpTarget& here, std::function<void(ArrivedAgent)> arrived);
  void typed_arrived(ArrivedAgent agent);
  void watch_files();
  void restore_socket();
  void renew_locks();

  FdLoop& loop_;
  std::string socket_;
  StateLock* lock_ = nullptr;
  std::function<void()> leave_;
  TimerId watch_timer_ = 0;
  std::unique_ptr<SpdLog> log_;
  std::unique_ptr<FileJobStore> store_;
  std::unique_ptr<FileOutputFiles> output_;
  FileOutputKeeper keeper_;
  std::unique_ptr<LinuxProcessHost> processes_;
  std::unique_ptr<LinuxMachineInfo> machine_;
  std::unique_ptr<LinuxMachineLeases> leases_;
  std::unique_ptr<LocalBackend> backend_;
  std::unique_ptr<TypedBackend> typed_;
  std::unique_ptr<PodBackend> pods_;
  std::unique_ptr<SshHosting> ssh_;
  std::unique_ptr<Controller> controller_;
  std::vector<std::unique_ptr<GrpcServer>> earlier_;  // of sockets that were deleted: they still have links
  std::unique_ptr<GrpcServer> server_;
  std::unique_ptr<GrpcServer> door_;  // the TCP port for other hosts
};

// The choice for a command that runs its own controller.
Result<HostingChoice> standalone_choice(const CallerContext& caller);

}  // namespace muster
