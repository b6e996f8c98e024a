// SPDX-License-Identifier: Apache-2.0
// Offer: the backends that a rank requests and has when a communicator is opened; and the choice for all ranks. Pure.
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
  std::string gloo_lacks;  // why the rank cannot use Gloo; empty: it can, or need not
  std::string nccl_lacks;  // likewise for NCCL
  std::string card;        // of the Gloo transport, if the rank knows that Gloo will be used
};

std::string encode(const Offer& offer);
// data_loss: encode() did not write it.
Result<Offer> decode_offer(std::string_view text);

// Chooses gloo or nccl from the offers (in order of rank), the same on every rank. invalid_argument: the ranks ask for
// different backends. unimplemented: a rank cannot use the backend; the message names it.
Result<Backend> agree(const Roster& roster, const std::vector<Offer>& offers);

}  // namespace muster::worker
