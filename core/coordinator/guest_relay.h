// GuestRelay: what in a coordinator passes frames between viewers and the agents that run their guests. It looks into none but
// the last, and holds nothing: what is under way is bounded by the two ends (guest_messages.h). Loop thread only.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "core/base/ids.h"
#include "core/port/guest_channel.h"

namespace muster {

// Tells a viewer why there is no guest for it, or no more.
void refuse_guest(GuestChannel& viewer, const Status& why);

class GuestRelay {
 public:
  // To the agent of a node; dropped where there is no link.
  using Send = std::function<void(NodeIndex node, const GuestFrame& frame)>;
  explicit GuestRelay(Send send) : send_(std::move(send)) {}
  // Every viewer hears that the job is over.
  ~GuestRelay();
  GuestRelay(const GuestRelay&) = delete;
  GuestRelay& operator=(const GuestRelay&) = delete;

  void open(NodeIndex node, GuestStart start, std::unique_ptr<GuestChannel> viewer);
  // Of an agent.
  void heard(NodeIndex node, const GuestFrame& frame);
  // The link to a node is gone, and its agent ends what it ran.
  void lost(NodeIndex node, const std::string& why);

 private:
  struct Viewed {
    NodeIndex node = 0;
    std::unique_ptr<GuestChannel> viewer;
  };

  void left(uint64_t id);

  const Send send_;
  std::map<uint64_t, Viewed> guests_;
  uint64_t last_ = 0;
};

}  // namespace muster
