// TopSession: `muster top` on a terminal: keys and news become state, state becomes frames. Loop thread only.
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
  std::optional<uint64_t> count;  // of looks, then it ends
};

class TopSession {
 public:
  TopSession(CommandContext& context, Connection& connection, const TopChoice& choice);

  // Blocks until the user leaves; the exit code. `connect` as TopPoller's.
  int run(HeldSignals& signals, const TopPoller::Connect& connect);

 private:
  void jobs(std::vector<JobView> jobs);
  void gone(const Status& why);
  void keys();
  void obey(const TopWish& wish);
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
  std::shared_ptr<ControlClient> client_;
  FullScreen screen_;
  TopState state_;
  KeyReader reader_;
  uint64_t looks_ = 0;
  bool away_ = false;  // the controller
  bool drawing_ = false;
  std::optional<int> code_;
  std::unique_ptr<TopPoller> poller_;
  std::unique_ptr<JobReadClient::Following> open_;  // the open job's events
  std::unique_ptr<JobReadClient::Following> shot_;  // its last lines, being read
  std::map<std::pair<uint32_t, OutputStream>, LineAssembler> assemblers_;
  std::map<uint32_t, std::vector<std::string>> read_;
};

}  // namespace muster
