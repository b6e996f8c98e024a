// SPDX-License-Identifier: Apache-2.0
// TopSession: `muster top` on a terminal. Keys and events change the state; the state is drawn as frames. Loop thread only.
#pragma once

#include <map>
#include <memory>
#include <optional>

#include "core/client/view/line_assembler.h"
#include "launcher/follow/following.h"
#include "launcher/top/full_screen.h"
#include "launcher/top/top_poller.h"
#include "launcher/top/top_state.h"

namespace muster {

struct TopChoice {
  Duration interval = std::chrono::seconds(1);
  std::optional<uint64_t> count;  // updates until it ends
};

class TopSession {
 public:
  TopSession(CommandContext& context, Connection& connection, const TopChoice& choice);

  // Blocks until the user quits; returns the exit code. `connect`: see TopPoller.
  int run(HeldSignals& signals, const TopPoller::Connect& connect);

 private:
  void jobs(std::vector<JobView> jobs);
  void gone(const Status& why);
  void keys();
  void obey(const TopAction& action);
  void suspend();
  void resume();
  void follow_open_job();
  void heard(const FollowItem& item);
  void read_output();
  void take_output(const OutputChunk& chunk);
  void changed();
  void draw();

  CommandContext& context_;
  Connection& connection_;
  const TopChoice choice_;
  std::shared_ptr<JobClient> client_;
  FullScreen screen_;
  TopState state_;
  KeyReader reader_;
  uint64_t updates_ = 0;
  bool away_ = false;  // there is no controller
  bool drawing_ = false;
  std::optional<int> code_;
  std::unique_ptr<TopPoller> poller_;
  std::unique_ptr<JobReadClient::Following> open_;  // events of the open job
  std::unique_ptr<JobReadClient::Following> shot_;  // the read of its last lines
  std::map<std::pair<uint32_t, OutputStream>, LineAssembler> assemblers_;
  std::map<uint32_t, std::vector<std::string>> read_;
};

}  // namespace muster
