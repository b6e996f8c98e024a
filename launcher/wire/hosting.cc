#include "launcher/wire/hosting.h"

#include <sys/stat.h>
#include <unistd.h>

namespace muster {
namespace {

LocalAgentCommand agent_command(const Surroundings& surroundings, const HostingChoice& choice) {
  LocalAgentCommand command;
  command.argv = {surroundings.program, "agent", "--socket", choice.socket};
  for (const auto& [name, value] : surroundings.environment) command.environment.push_back(name + "=" + value);
  command.dies_with_us = choice.standalone;
  return command;
}

ControllerSelf self_of(const Surroundings& surroundings, const HostingChoice& choice, TimePoint now) {
  ControllerSelf self;
  self.info.version = surroundings.version;
  self.info.binary_hash = binary_hash(surroundings);
  self.info.pid = getpid();
  self.info.started = now;
  self.info.state_folder = choice.state;
  self.linger = !choice.standalone;
  self.idle = choice.idle;
  self.seed = surroundings.seed;
  return self;
}

}  // namespace

std::string binary_hash(const Surroundings& surroundings) {
  struct stat file {};
  if (stat(surroundings.program.c_str(), &file) != 0) return surroundings.version;
  return surroundings.version + "-" + std::to_string(file.st_size) + "-" + std::to_string(file.st_mtim.tv_sec) + "." +
         std::to_string(file.st_mtim.tv_nsec);
}

Result<std::unique_ptr<Hosting>> Hosting::open(const Surroundings& surroundings, FdLoop& loop,
                                               const HostingChoice& choice, std::function<void()> leave) {
  Result<std::unique_ptr<FileJobStore>> store = FileJobStore::open(choice.state);
  if (!store.ok()) return store.status();
  std::unique_ptr<Hosting> hosting(new Hosting());
  hosting->store_ = std::move(*store);
  hosting->log_ = std::make_unique<SpdLog>(choice.state + "/log", choice.standalone ? "standalone" : "controller");
  hosting->output_ = std::make_unique<FileOutputFiles>(choice.state, loop);
  hosting->processes_ = std::make_unique<LinuxProcessHost>(loop, *hosting->log_, Orphans::ignored, std::nullopt);
  hosting->machine_ = std::make_unique<LinuxMachineInfo>(*hosting->log_, std::nullopt);
  hosting->backend_ = std::make_unique<LocalBackend>(
      LocalBackendPorts{loop, *hosting->processes_, *hosting->machine_}, agent_command(surroundings, choice));
  hosting->controller_ = std::make_unique<Controller>(
      CoordinatorPorts{loop, *hosting->backend_, *hosting->store_, *hosting->output_, *hosting->log_},
      self_of(surroundings, choice, loop.now()), std::move(leave));
  Result<std::unique_ptr<GrpcServer>> server =
      GrpcServer::listen(loop, choice.socket, *hosting->controller_, [raw = hosting.get()](ArrivedAgent agent) {
        if (agent.hello.job.empty()) return raw->backend_->agent_arrived(std::move(agent));
        raw->controller_->agent_returned(std::move(agent));
      });
  if (!server.ok()) return server.status();
  hosting->server_ = std::move(*server);
  if (!choice.standalone) hosting->controller_->recover();
  return hosting;
}

}  // namespace muster
