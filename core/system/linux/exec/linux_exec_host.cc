// SPDX-License-Identifier: Apache-2.0
#include "core/system/linux/exec/linux_exec_host.h"

#include "core/system/linux/exec/exec_process.h"

namespace muster {
namespace {

class LinuxExec final : public Exec {
 public:
  explicit LinuxExec(std::shared_ptr<ExecProcess> process) : process_(std::move(process)) {}
  ~LinuxExec() override {
    process_->silence();
    process_->hang_up();
  }
  void write(std::string_view bytes) override { process_->input().write(bytes); }
  void end_input() override { process_->input().end(); }
  void allow(ExecStream stream, size_t bytes) override { process_->allow(stream, bytes); }
  void resize(uint16_t rows, uint16_t columns) override { process_->resize(rows, columns); }
  void signal(int number) override { process_->signal(number); }
  void hang_up() override { process_->hang_up(); }

 private:
  std::shared_ptr<ExecProcess> process_;
};

}  // namespace

Result<std::unique_ptr<Exec>> LinuxExecHost::start(const ExecRequest& request, ExecHandlers handlers) {
  SpawnRequest spawn = request.spawn;
  spawn.own_session = true;
  auto ends = open_exec_ends(spawn.tty, request.rows, request.columns);
  if (!ends.ok()) return ends.status();
  LinuxProcessHost::ExecPlace place{.beside = request.beside};
  if (spawn.tty) {
    place.terminal = ends->theirs[0].get();
  } else {
    for (size_t fd = 0; fd < place.stdio.size(); ++fd) place.stdio[fd] = ends->theirs[fd].get();
  }
  auto process = std::make_shared<ExecProcess>(loop_, processes_, spawn.tty, std::move(handlers));
  // The process host's handler keeps the ExecProcess alive until the process is reaped.
  const auto started = processes_.spawn_exec(spawn, place, [process](const auto& exit) { process->exited(exit); });
  if (!started.ok()) return started.status();
  for (UniqueFd& theirs : ends->theirs) theirs.reset();
  process->begin(std::move(*ends), *started);
  return std::unique_ptr<Exec>(std::make_unique<LinuxExec>(std::move(process)));
}

}  // namespace muster
