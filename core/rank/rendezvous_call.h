// What a worker may ask of the rendezvous of its attempt, and the answer. Values; the rules and limits are in
// machine/rendezvous.
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
    get,              // key: value, or not_found
    wait,             // key: value as soon as it is set
    add,              // key, amount: the sum as decimal text; a missing key counts from 0
    compare_and_set,  // key, expected, value: the value afterwards; expected "" also matches a missing key
    remove,           // key: not_found when it was not there
    list,             // key as prefix: names
    barrier,          // key: answered when all ranks of `ranks` have asked
    fence,            // key, value: as barrier, and every rank gets every rank's value, in rank order
  };
  Kind kind = Kind::get;
  std::string key;
  std::string value;
  std::string expected;
  int64_t amount = 0;
  std::vector<Rank> ranks;  // world ranks taking part in a barrier or fence; empty: all
  Duration timeout{0};      // of wait, barrier and fence; 0: the service's longest
  bool operator==(const RendezvousCall&) const = default;
};

struct RendezvousAnswer {
  Status status;
  std::string value;
  std::vector<std::string> values;  // of fence (by rank) and list (by name)
  bool operator==(const RendezvousAnswer&) const = default;
};

}  // namespace muster
