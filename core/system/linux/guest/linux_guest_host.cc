#include "core/system/linux/guest/linux_guest_host.h"

#include "core/system/linux/guest/guest_process.h"

namespace muster {
namespace {

class LinuxGuest final : public Guest {
 public:
  explicit LinuxGuest(std::shared_ptr<GuestProcess> process) : process_(std::move(process)) {}
  ~LinuxGuest() override {
    process_->silence();
    process_->hang_up();
  }
  void write(std::string_view bytes) override { process_->input().write(bytes); }
  void end_input() override { process_->input().end(); }
  void allow(GuestStream stream, size_t bytes) override { process_->allow(stream, bytes); }
  void resize(uint16_t rows, uint16_t columns) override { process_->resize(rows, columns); }
  void signal(int number) override { process_->signal(number); }
  void hang_up() override { process_->hang_up(); }

 private:
  std::shared_ptr<GuestProcess> process_;
};

}  // namespace

Result<std::unique_ptr<Guest>> LinuxGuestHost::start(const GuestRequest& request, GuestHandlers handlers) {
  SpawnRequest spawn = request.spawn;
  spawn.own_session = true;
  auto ends = open_guest_ends(spawn.tty, request.rows, request.columns);
  if (!ends.ok()) return ends.status();
  LinuxProcessHost::GuestPlace place{.beside = request.beside};
  if (spawn.tty) {
    place.terminal = ends->theirs[0].get();
  } else {
    for (size_t fd = 0; fd < place.stdio.size(); ++fd) place.stdio[fd] = ends->theirs[fd].get();
  }
  auto process = std::make_shared<GuestProcess>(loop_, processes_, spawn.tty, std::move(handlers));
  // Which keeps it until it is reaped.
  const auto started = processes_.spawn_guest(spawn, place, [process](const auto& exit) { process->exited(exit); });
  if (!started.ok()) return started.status();
  for (UniqueFd& theirs : ends->theirs) theirs.reset();
  process->begin(std::move(*ends), *started);
  return std::unique_ptr<Guest>(std::make_unique<LinuxGuest>(std::move(process)));
}

}  // namespace muster
