// Offer: what each rank wants and has when a communicator is opened, and what follows for all of them. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/worker/collective/call.h"
#include "core/worker/collective/roster.h"

namespace muster::worker {

struct Offer {
  Backend wanted = Backend::automatic;
  std::string gloo_lacks;  // a sentence; empty: it can, or need not
  std::string nccl_lacks;
  std::string card;  // Gloo's, where this rank knows that it will be Gloo
};

std::string encode(const Offer& offer);
// Fails with data_loss on what encode() did not write.
Result<Offer> decode_offer(std::string_view text);

// The backend of all, gloo or nccl, from the offers by rank: the same on every rank. invalid_argument: ranks ask for
// different ones. unimplemented: it is missing somewhere, the sentence says where.
Result<Backend> agree(const Roster& roster, const std::vector<Offer>& offers);

}  // namespace muster::worker
