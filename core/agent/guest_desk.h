// GuestDesk: what in an agent runs guests, the programs of `exec`: each beside a rank, as its viewer's frames say. A guest ends with
// its viewer, with the link to the coordinator, and with its rank's attempt (GuestHost). It decides nothing about ranks. Loop
// thread only.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "core/port/agent_channel.h"
#include "core/port/guest_host.h"

namespace muster {

class GuestDesk {
 public:
  // How a program starts beside this rank; or why none can.
  using Place = std::function<Result<GuestRequest>(uint32_t index)>;
  GuestDesk(GuestHost& host, Place place) : host_(host), place_(std::move(place)) {}

  // Null: the link is lost, and with it every viewer.
  void connect(ChannelToCoordinator* channel);
  void heard(const GuestFrame& frame);
  // Nobody's end is still to be said.
  bool empty() const { return guests_.empty(); }
  // There ever was one.
  bool served() const { return served_; }

 private:
  struct Running {
    uint32_t index = 0;  // of its rank
    std::unique_ptr<Guest> guest;
    std::map<GuestStream, size_t> under_way;  // bytes that the receiver has not taken
  };

  void obey(uint64_t id, const GuestStart& start);
  void obey(uint64_t id, const GuestBytes& bytes);
  void obey(uint64_t id, const GuestTaken& taken);
  void obey(uint64_t id, const GuestResize& resize);
  void obey(uint64_t id, const GuestSignal& signal);
  void obey(uint64_t id, const GuestLeave& leave);
  void obey(uint64_t, const GuestEnd&) {}  // ours to say

  Status begin(uint64_t id, const GuestStart& start);
  GuestHandlers handlers(uint64_t id);
  void ended(uint64_t id, const ExitStatus& exit);
  void send(uint64_t id, decltype(GuestFrame::part) part);
  Running* find(uint64_t id);

  GuestHost& host_;
  const Place place_;
  ChannelToCoordinator* channel_ = nullptr;
  std::map<uint64_t, Running> guests_;
  bool served_ = false;
};

}  // namespace muster
