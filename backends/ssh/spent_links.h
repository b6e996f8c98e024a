// SPDX-License-Identifier: Apache-2.0
// SpentLinks: destroys links that are no longer needed in a later turn of the loop, because a link must not be destroyed from its own
// handler. Links that are left are destroyed with this object, so that none outlives its HostLinks. Loop thread only.
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
