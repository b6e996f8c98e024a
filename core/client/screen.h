// Screen: where a command's words go. Data to `out`, muster's own words to `err`.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "core/client/console_writer.h"
#include "core/system/asio/fd_loop.h"

namespace muster {

class Screen {
 public:
  virtual ~Screen() = default;
  virtual void out(std::string_view text) = 0;
  virtual void err(std::string_view text) = 0;
};

// Descriptors 1 and 2, unbuffered, complete: short writes and full pipes are waited for; a pipe that gets much is made 1 MiB
// wide, so that its reader is woken less often. Who reads stdout may
// leave at any time (muster logs | head): then `broken` runs once and everything after is dropped; without one
// the process ends at once, silently, with the exit code of SIGPIPE (141). What stdout does not take for another reason (a full
// disk) is lost: that is told on stderr once, and then `full` runs, once.
class FdScreen final : public Screen {
 public:
  void out(std::string_view text) override;
  void err(std::string_view text) override;
  void on_broken(std::function<void()> broken) { broken_ = std::move(broken); }
  void on_full(std::function<void()> full) { full_ = std::move(full); }

  // From here on nothing waits for who reads: what has no room is written by `loop`, in order. `hold` hears true when that begins,
  // false when it is over.
  void serve(FdLoop& loop, std::function<void(bool)> hold);
  // What still waits is dropped.
  void serve_no_more();
  bool waits() const;

  // Something could not be written for another reason, to either.
  bool failed() const { return failed_; }

 private:
  struct Side {
    explicit Side(int fd) : console_writer(fd) {}
    ConsoleWriter console_writer;
    std::unique_ptr<LoopWatch> room;
  };
  int write(int fd, std::string_view text);
  Side& side_of(int fd);
  void go_on(int fd);
  void tell(bool waited);
  void lost(int fd, int error);
  void out_is_full(int error);

  FdLoop* loop_ = nullptr;
  std::function<void(bool)> hold_;
  std::optional<Side> out_side_;
  std::optional<Side> err_side_;  // none: stderr ends where stdout does
  std::function<void()> broken_;
  std::function<void()> full_;
  bool out_is_broken_ = false;
  bool out_is_full_ = false;
  bool failed_ = false;
  bool widened_ = false;  // a pipe, as far as we may
};

// Collects, for tests.
class RecordingScreen final : public Screen {
 public:
  void out(std::string_view text) override { out_text.append(text); }
  void err(std::string_view text) override { err_text.append(text); }
  std::string out_text;
  std::string err_text;
};

}  // namespace muster
