// A controller with everything it stands on, in this process: `muster serve`, and `run --standalone`.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

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
#include "core/wire/grpc_server.h"
#include "launcher/composition/ssh_hosting.h"

namespace muster {

// The job's hosts were typed by hand: this one is the first, the others come to `here`.
struct TypedHosting {
  HostOffer first;
  TcpTarget here;
  Duration last_call{0};                           // of later attempts
  std::function<void()> changed;                   // a host came or left
  std::function<void(const std::string&)> missed;  // a host that is to be replaced
};

// The job's hosts are pods, which come to `here`.
struct PodHosting {
  TcpTarget here;
};

struct HostingChoice {
  std::string state;   // the folder, made when missing
  std::string socket;  // where commands and agents come in
  bool standalone = false;
  Duration idle{0};
  Duration warm_idle{0};
  std::optional<TypedHosting> typed;
  std::optional<PodHosting> pods;
  Retention retention;
};

// Members are destroyed from the last to the first: what uses goes before what is used.
class Hosting {
 public:
  // Fails when the state folder cannot be written or the socket not be bound.
  static Result<std::unique_ptr<Hosting>> open(const CallerContext& caller, FdLoop& loop, const HostingChoice& choice,
                                               std::function<void()> leave);

  ~Hosting();

  Controller& controller() { return *controller_; }
  SpdLog& log() { return *log_; }
  LocalBackend& backend() { return *backend_; }
  TypedBackend& typed() { return *typed_; }                       // where hosts were typed
  PodBackend& pods() { return *pods_; }                           // where they are pods
  bool has_execs() const { return door_ && door_->has_links(); }  // other hosts are connected
  FileJobStore& store() { return *store_; }
  FileOutputFiles& output() { return *output_; }

 private:
  explicit Hosting(FdLoop& loop) : loop_(loop) {}
  Status listen();
  Status open_door(const TcpTarget& here, std::function<void(ArrivedAgent)> arrived);
  void typed_arrived(ArrivedAgent agent);
  void watch_socket();

  FdLoop& loop_;
  std::string socket_;
  TimerId socket_timer_ = 0;
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
  std::unique_ptr<GrpcServer> server_;
  std::unique_ptr<GrpcServer> door_;  // for other hosts
};

// How a command hosts a controller of its own.
Result<HostingChoice> standalone_choice(const CallerContext& caller);

}  // namespace muster
