// SPDX-License-Identifier: Apache-2.0
// NodeExchange: gives the value of each node to all nodes that take part. Each node sets its value under a key of its own in the
// rendezvous and waits for the keys of the others. A fence would be one call, but it may not be repeated: a node that lost the answer
// would wait for nodes that have gone on.
//
// A node keeps its values of the last two rounds, and sets them again whenever the link to the coordinator was lost, since the next
// coordinator may know no keys. It notices this by a call that waits for a key that nobody sets. Loop thread only.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/port/loop.h"
#include "core/port/mpi_task.h"
#include "core/port/node_service.h"

namespace muster {

class NodeExchange {
 public:
  struct Round {
    std::string name;         // of those who take part; begins with what is unique to the attempt
    uint64_t number = 0;      // from 1: how often they have met under this name
    std::string value;        // bytes
    std::vector<Rank> ranks;  // the first rank of each node that takes part, this one included
  };
  // `values`: in the order of the ranks' numbers, this node's included; empty after a failure.
  using Done = std::function<void(const Status& status, const std::vector<std::string>& values)>;

  // `nodes`: of the world. `own`: the index of this node.
  NodeExchange(Loop& loop, ServiceRendezvous rendezvous, std::vector<MpiNode> nodes, uint32_t own);
  ~NodeExchange() { *alive_ = false; }
  NodeExchange(const NodeExchange&) = delete;
  NodeExchange& operator=(const NodeExchange&) = delete;

  // `done` is called once, in this call or in a later turn, and not after the destructor. It may destroy the exchange.
  // failed_precondition: the attempt has ended. Else as `set` and `wait` of the rendezvous fail, but never unavailable: lost calls are
  // made again. A round begins only after the last one of its name is done.
  void meet(Round round, Done done);

  // Waits for a key that another node keeps. `done` is called and fails as that of meet().
  // `setters`: the ranks without which the key is not set; a job that hangs names them.
  using Waited = std::function<void(const Status& status, const std::string& value)>;
  void wait_for(const std::string& key, Waited done, const std::vector<Rank>& setters = {});

  // Sets a key for other nodes, for the rest of the attempt. `refused` is called as the rendezvous refuses the value, if it does.
  using Refused = std::function<void(const Status& status)>;
  void keep(const std::string& key, const std::string& value, Refused refused);

 private:
  struct Meeting {
    Round round;
    Done done;  // null: it is over
    std::map<Rank, std::string> values;
    size_t asked = 0;  // the position in `ranks` up to which calls were made
  };

  struct Kept {
    std::string value;
    Refused refused;
  };

  const std::vector<Rank>& ranks_beside(Rank first) const;
  std::string key_of(const std::string& name, uint64_t number, Rank rank) const;
  void set(const std::string& key);
  void forget(const std::string& key);
  void ask_next(const std::shared_ptr<Meeting>& meeting);
  void take(const std::shared_ptr<Meeting>& meeting, Rank rank, const Status& status, const std::string& value);
  void finish(Meeting& meeting, const Status& status);
  void watch_link();
  void set_again();

  Loop& loop_;
  const ServiceRendezvous rendezvous_;
  const std::vector<MpiNode> nodes_;
  const Rank own_;                    // the first rank of this node
  std::map<std::string, Kept> kept_;  // by key: values that another node may still want
  std::string never_set_;             // the key that shows a lost link; empty: not watched yet
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace muster
