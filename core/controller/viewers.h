// SPDX-License-Identifier: Apache-2.0
// Viewers: the follow sessions of a controller. Loop thread only.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>

#include "core/controller/follow_session.h"

namespace muster {

class Viewers {
 public:
  // `left` is called after a viewer has disconnected.
  Viewers(Loop& loop, OutputFiles& files, std::function<void()> left)
      : loop_(loop),
        files_(files),
        left_(std::move(left)) {}
  ~Viewers() { *alive_ = false; }
  Viewers(const Viewers&) = delete;
  Viewers& operator=(const Viewers&) = delete;

  void add(FollowedJob job, const FollowRequest& request, std::unique_ptr<FollowSink> sink);
  void job_changed(const JobId& job);
  bool empty() const { return sessions_.empty(); }

 private:
  void leave(uint64_t number);

  Loop& loop_;
  OutputFiles& files_;
  const std::function<void()> left_;
  std::map<uint64_t, std::unique_ptr<FollowSession>> sessions_;
  uint64_t next_ = 1;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace muster
