// SPDX-License-Identifier: Apache-2.0
// RendezvousCall: a request of a worker to the rendezvous of its attempt, and the answer. Values. Rules and limits are
// in core/machine/rendezvous.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/ids.h"
#include "core/base/result.h"
#include "core/base/time.h"

namespace muster {

struct RendezvousCall {
  enum class Kind {
    set,              // key, value
    get,              // key: the value, or not_found
    wait,             // key: the value, as soon as it is set
    add,              // key, amount: the sum as decimal text; a missing key counts as 0
    compare_and_set,  // key, expected, value: the value afterwards; expected "" also matches a missing key
    remove,           // key: not_found if it does not exist
    list,             // key as prefix: names
    barrier,          // key: answered when all ranks of `ranks` have called it
    fence,            // key, value: as barrier; each rank gets the values of all ranks, in rank order
  };
  Kind kind = Kind::get;
  std::string key;
  std::string value;
  std::string expected;  // of a wait with `ranks`: what these ranks do, "MPI_Init"
  int64_t amount = 0;
  std::vector<Rank> ranks;  // world ranks that take part in a barrier or fence (empty: all), or that a wait waits for
  Duration timeout{0};      // of wait, barrier and fence; 0: the longest that the service allows
  bool operator==(const RendezvousCall&) const = default;
};

struct RendezvousAnswer {
  Status status;
  std::string value;
  std::vector<std::string> values;  // of fence (by rank) and list (by name)
  bool operator==(const RendezvousAnswer&) const = default;
};

}  // namespace muster
