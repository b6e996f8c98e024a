// JobGuests: programs of `exec` beside the ranks of a job. Loop thread only.
#pragma once

#include <memory>
#include <string>

#include "core/coordinator/coordinator_core.h"
#include "core/coordinator/guest_relay.h"

namespace muster {

class JobGuests {
 public:
  explicit JobGuests(const JobContext& context);

  // Starts one for the viewer, or tells it why there is none.
  void open(const GuestStart& start, std::unique_ptr<GuestChannel> viewer);
  void heard(NodeIndex node, const GuestFrame& frame) { relay_.heard(node, frame); }
  // The link to the node is gone.
  void lost(NodeIndex node, const std::string& why) { relay_.lost(node, why); }

 private:
  Status refusal(const GuestStart& start) const;

  const JobContext context_;
  GuestRelay relay_;
};

}  // namespace muster
