// SPDX-License-Identifier: Apache-2.0
// Screen: the output of a command. Data goes to `out`, muster's own messages to `err`.
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

// Writes to descriptors 1 and 2, unbuffered and completely: it waits on short writes and full pipes. A pipe that gets
// large writes is enlarged to 1 MiB, so that its reader wakes less often.
//
// If the reader of stdout closes it (muster logs | head), `broken` runs once and later output is dropped. Without
// `broken` the process exits at once with the exit code of SIGPIPE (141). If stdout fails for another reason (a full
// disk), the text is lost: one error is printed on stderr, then `full` runs once.
class FdScreen final : public Screen {
 public:
  void out(std::string_view text) override;
  void err(std::string_view text) override;
  void on_broken(std::function<void()> broken) { broken_ = std::move(broken); }
  void on_full(std::function<void()> full) { full_ = std::move(full); }

  // From now on writes do not block: text that does not fit is buffered and written by `loop`, in order. Calls
  // `hold(true)` when buffering begins and `hold(false)` when the buffer is empty again.
  void serve(FdLoop& loop, std::function<void(bool)> hold);
  // Returns to blocking writes; drops buffered text.
  void serve_no_more();
  bool waits() const;

  // True if a write to stdout or stderr failed for another reason than a closed pipe.
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
  void report_hold(bool waited);
  void lost(int fd, int error);
  void out_is_full(int error);

  FdLoop* loop_ = nullptr;
  std::function<void(bool)> hold_;
  std::optional<Side> out_side_;
  std::optional<Side> err_side_;  // none: stderr is the same file as stdout
  std::function<void()> broken_;
  std::function<void()> full_;
  bool out_is_broken_ = false;
  bool out_is_full_ = false;
  bool failed_ = false;
  bool widened_ = false;  // widen_pipe() was called
};

// Collects the output in memory, for tests.
class RecordingScreen final : public Screen {
 public:
  void out(std::string_view text) override { out_text.append(text); }
  void err(std::string_view text) override { err_text.append(text); }
  std::string out_text;
  std::string err_text;
};

}  // namespace muster
