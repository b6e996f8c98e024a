// SPDX-License-Identifier: Apache-2.0
// Opening: lets the ranks of a new communicator agree on a transport, and connects it. The ranks exchange offers with fences.
// The thread of the caller.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/worker/collective/carrier.h"
#include "core/worker/collective/communicator_options.h"
#include "core/worker/collective/gloo_transport.h"
#include "core/worker/collective/nccl_transport.h"
#include "core/worker/collective/offer.h"

namespace muster::worker {

// The parent of a new communicator, and the operation that derives it.
struct Origin {
  Transport* parent = nullptr;  // null: none, or this rank is not in it
  int32_t color = 0, key = 0;
  const std::vector<uint32_t>* gone = nullptr;  // null: not by shrink
  uint32_t grown_from = 0;                      // number of ranks of the parent; 0: not by grow
};

class Opening {
 public:
  // The arguments must outlive the opening.
  Opening(Meeting& meeting, const Roster& roster, const CommunicatorOptions& options, Carrier& carrier,
          const Origin& origin)
      : meeting_(meeting),
        roster_(roster),
        options_(options),
        carrier_(carrier),
        origin_(origin) {}

  // Ok: `carrier` has a connected transport.
  Status connect();

 private:
  enum class Way { anew, split, shrink, grow };
  Result<std::unique_ptr<GlooTransport>> make_gloo() const;
  Status connect_gloo(std::unique_ptr<GlooTransport> gloo, std::vector<Offer> offers);
  Status connect_nccl();
  Way way_of(const NcclTransport* near, const NcclTransport& made) const;
  Result<std::vector<Offer>> exchange(const std::string& what, const Offer& mine);

  Meeting& meeting_;
  const Roster& roster_;
  const CommunicatorOptions& options_;
  Carrier& carrier_;
  const Origin& origin_;
};

}  // namespace muster::worker
