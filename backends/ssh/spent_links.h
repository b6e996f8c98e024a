// SpentLinks: where a link goes that is not needed any more, as none is destroyed from within its own handler. Whatever becomes of the loop,
// none outlives this, and so none the HostLinks that it is of. Loop thread only.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "core/port/host_link.h"
#include "core/port/loop.h"

namespace muster {

class SpentLinks {
 public:
  explicit SpentLinks(Loop& loop) : loop_(loop) {}
  ~SpentLinks() { *alive_ = false; }
  SpentLinks(const SpentLinks&) = delete;
  SpentLinks& operator=(const SpentLinks&) = delete;

  void take(std::unique_ptr<HostLink> link) {
    if (!link) return;
    links_.push_back(std::move(link));
    loop_.post([this, alive = alive_] {
      if (*alive) std::exchange(links_, {}).clear();
    });
  }

 private:
  Loop& loop_;
  std::vector<std::unique_ptr<HostLink>> links_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace muster
