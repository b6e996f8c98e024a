// SPDX-License-Identifier: Apache-2.0
// Texts for the user that kubectl and its credential plugins print on stderr: where to log in, a question, a warning. Loop thread only.
#pragma once

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>

#include "core/base/time.h"
#include "core/port/loop.h"

namespace muster {

// Shows these texts at the user's terminal. Shared by all calls of a command.
class KubectlPrompts {
 public:
  explicit KubectlPrompts(std::function<void(std::string_view)> show) : show_(std::move(show)) {}
  // Shows the lines of `text` that are not kubectl's log lines and were not shown before, and its last line if it has no end: that is a
  // question. Returns whether it has shown something that waits for the user: a question or a login, not a warning.
  bool show(std::string_view text);

 private:
  const std::function<void(std::string_view)> show_;
  std::set<std::string> shown_;
};

// The stderr of one running kubectl. If kubectl goes on for `delay` after it has printed something, it may wait for the user, so the text
// is shown. The text of a kubectl that fails is not shown: it is in the error.
class KubectlErrors {
 public:
  // `prompts`: null if there is no terminal. `prompted` runs when a question or a login was shown.
  KubectlErrors(Loop& loop, std::shared_ptr<KubectlPrompts> prompts, std::function<void()> prompted);
  ~KubectlErrors() { loop_.cancel(timer_); }
  KubectlErrors(const KubectlErrors&) = delete;
  KubectlErrors& operator=(const KubectlErrors&) = delete;

  void take(std::string_view bytes);
  // kubectl has ended. `well`: with exit code 0; then the rest is shown.
  void end(bool well);
  // The end of what kubectl has printed so far.
  const std::string& text() const { return text_; }

  static constexpr Duration delay = std::chrono::milliseconds(500);
  // The patience with a kubectl that has prompted: codes of logins are valid for 15 minutes.
  static constexpr Duration login_patience = std::chrono::minutes(15);

 private:
  void show();

  Loop& loop_;
  const std::shared_ptr<KubectlPrompts> prompts_;
  const std::function<void()> prompted_;
  std::string text_;
  std::string held_;
  TimerId timer_ = 0;
};

}  // namespace muster
