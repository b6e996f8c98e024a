// GuestProcess: one guest that was started: its streams, its end, and how it is made to end. Internal to LinuxGuestHost. Loop
// thread only.
#pragma once

#include <memory>
#include <optional>

#include "core/port/guest_host.h"
#include "core/system/linux/guest/guest_streams.h"
#include "core/system/linux/process/linux_process_host.h"

namespace muster {

// Our ends, and those that the program gets.
struct GuestEnds {
  UniqueFd input;
  UniqueFd output;
  UniqueFd errors;                 // of a terminal: none
  std::array<UniqueFd, 3> theirs;  // of a terminal: the first only
};
Result<GuestEnds> open_guest_ends(bool tty, uint16_t rows, uint16_t columns);

class GuestProcess : public std::enable_shared_from_this<GuestProcess> {
 public:
  GuestProcess(FdLoop& loop, LinuxProcessHost& processes, bool tty, GuestHandlers handlers)
      : loop_(loop),
        processes_(processes),
        tty_(tty),
        handlers_(std::move(handlers)) {}

  // Once, right after the program was started.
  void begin(GuestEnds ends, ProcessHandle handle);
  void exited(const ExitStatus& exit);
  // Nobody listens any more.
  void silence();

  GuestInput& input() { return *input_; }
  void allow(GuestStream stream, size_t bytes);
  void resize(uint16_t rows, uint16_t columns);
  void signal(int number);
  void hang_up();

 private:
  std::shared_ptr<GuestOutput> open(UniqueFd fd, GuestStream stream);
  void closed(GuestStream stream);
  void tell_end();
  void signal_session(int number);

  FdLoop& loop_;
  LinuxProcessHost& processes_;
  const bool tty_;
  GuestHandlers handlers_;
  ProcessHandle handle_ = 0;
  pid_t pid_ = 0;
  UniqueFd terminal_;  // for its size
  std::unique_ptr<GuestInput> input_;
  std::shared_ptr<GuestOutput> output_;
  std::shared_ptr<GuestOutput> errors_;
  std::optional<ExitStatus> exit_;
  bool hung_up_ = false;
};

}  // namespace muster
