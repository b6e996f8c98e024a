// SPDX-License-Identifier: Apache-2.0
#include "launcher/follow/terminal_side.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <pty.h>
#include <unistd.h>

#include "core/client/follow/follow_fakes.h"
#include "core/system/posix/unique_fd.h"

namespace muster {
namespace {

// A terminal as stdin, until the end of the test.
class StdinTerminal {
 public:
  StdinTerminal() : before_(dup(STDIN_FILENO)) {
    int own = -1;
    int other = -1;
    if (openpty(&own, &other, nullptr, nullptr, nullptr) != 0) return;
    keys_ = UniqueFd(own);
    dup2(other, STDIN_FILENO);
    close(other);
  }
  ~StdinTerminal() { dup2(before_.get(), STDIN_FILENO); }
  StdinTerminal(const StdinTerminal&) = delete;
  StdinTerminal& operator=(const StdinTerminal&) = delete;

  bool type(char key) const { return write(keys_.get(), &key, 1) == 1; }

 private:
  UniqueFd before_;
  UniqueFd keys_;
};

// A user who answers the question as soon as it is shown.
class QuickAnswer final : public RecordingPresenter {
 public:
  explicit QuickAnswer(const StdinTerminal& terminal) : terminal_(terminal) {}
  void ask(const std::string& question) override { typed_ = !question.empty() && terminal_.type('k'); }
  bool typed() const { return typed_; }

 private:
  const StdinTerminal& terminal_;
  bool typed_ = false;
};

std::string typed_within_5_s() {
  pollfd typed{STDIN_FILENO, POLLIN, 0};
  if (poll(&typed, 1, 5000) != 1) return "";
  bool closed = false;
  return Keyboard::read_typed(closed);
}

TEST(TerminalSide, Ask_KeysBeforeTheQuestion_AreDiscardedButNoneAfterIt) {
  const StdinTerminal terminal;
  const CallerContext caller;
  FdScreen screen;
  CommandContext context{caller, screen};
  AsioLoop loop;
  QuickAnswer presenter(terminal);
  auto client = std::make_shared<FakeClient>();
  client->view = view_of(2);
  Session session(loop, client, Follower::Connect(), nullptr, client->view, {}, presenter, {});
  TerminalSide side(context, loop, presenter, std::nullopt, std::nullopt);
  side.attach(session);

  ASSERT_TRUE(terminal.type('s'));
  side.ask(true);

  EXPECT_TRUE(presenter.typed());
  EXPECT_EQ(typed_within_5_s(), "k");
  side.ask(false);
}

}  // namespace
}  // namespace muster
