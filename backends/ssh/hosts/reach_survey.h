// ReachSurvey: whether hosts reach each other's data ports (reach_here.h), over a session to each. Every pair up to 32 hosts; of
// more each its next one. Loop thread only.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "backends/ssh/session/host_session.h"

namespace muster {

struct ReachHost {
  std::string name;
  std::string address;  // at which the others are to reach it
};

// A way that does not work. `to` is empty where `from` could not be asked at all, or cannot listen.
struct Blocked {
  std::string from;
  std::string to;
  std::string why;
  bool operator==(const Blocked&) const = default;
};

class ReachSurvey {
 public:
  // `over` runs once, in a later turn; blocked() is whole then. `patience`: with a host that says nothing.
  ReachSurvey(FdLoop& loop, std::shared_ptr<const HostAccess> access, std::vector<ReachHost> hosts,
              std::function<void()> over, Duration patience = std::chrono::seconds(30));
  ~ReachSurvey();

  const std::vector<Blocked>& blocked() const { return blocked_; }

 private:
  struct Visit;

  void go_on();
  void listens(size_t index);
  void failed(size_t index, const std::string& why);
  void settled();
  void tell();
  std::vector<size_t> peers_of(size_t index) const;

  FdLoop& loop_;
  const std::shared_ptr<const HostAccess> access_;
  const std::vector<ReachHost> hosts_;
  std::function<void()> over_;
  const Duration patience_;
  std::vector<std::unique_ptr<Visit>> visits_;
  std::vector<Blocked> blocked_;
  size_t next_ = 0;
  size_t arriving_ = 0;  // begun and not let in yet
  size_t ready_ = 0;     // listen, or failed before
  size_t finished_ = 0;
  TimerId goodbye_ = 0;
  bool told_ = false;
};

}  // namespace muster
