// SPDX-License-Identifier: Apache-2.0
// PmiServer: the PMI server of a job on one node, for MPICH, Intel MPI and MVAPICH. Speaks PMI-1 (subversion 1) and PMI-2 with each rank, as
// the rank asks for. Pure; not thread-safe.
//
// Its owner makes a socket pair for each rank, passes one end on with the variables of pmi_environment(), and calls received() with the
// bytes that arrive at the other. After each call it carries out the PmiActions:
// - writes the bytes to the ranks;
// - `exchange`: all ranks of this node are in a barrier. It gives the bytes to the other nodes (NodeExchange) and calls exchanged()
//   with the bytes of all nodes. On a job with one node this never happens: barriers end by themselves;
// - `abort`: a rank has called MPI_Abort. It ends the job with this exit code;
// - `refusals`: a rank has called something that muster does not have. MPI reports an error to it;
// - `faults`: a rank does not speak PMI. It ends that rank; its bytes are ignored from now on.
// A restart is a new PmiServer with another name.
//
// Not available, and refused with an error that MPI reports: MPI_Comm_spawn, publish and lookup of names.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/node/pmi/pmi_message.h"
#include "core/node/pmi/pmi_store.h"
#include "core/node/pmi/pmi_world.h"

namespace muster {

struct PmiAbort {
  uint32_t rank = 0;  // in the world
  int exit_code = 1;
  std::string message;
  bool operator==(const PmiAbort&) const = default;
};

struct PmiActions {
  struct Write {
    uint32_t local = 0;
    std::string bytes;
    bool operator==(const Write&) const = default;
  };
  struct Fault {
    uint32_t local = 0;
    std::string why;
    bool operator==(const Fault&) const = default;
  };
  struct Refusal {
    uint32_t local = 0;
    std::string call;  // "MPI_Comm_spawn"
    bool operator==(const Refusal&) const = default;
  };
  std::vector<Write> writes;
  std::vector<Refusal> refusals;
  std::optional<std::string> exchange;
  std::optional<PmiAbort> abort;
  std::vector<Fault> faults;
};

class PmiServer {
 public:
  explicit PmiServer(PmiWorld world);

  // Bytes from the rank with this local rank, in any pieces.
  PmiActions received(uint32_t local, std::string_view bytes);

  // The other nodes are in the barrier too. `of_nodes`: the bytes of each node's `exchange`; this node's own may be among them. A fault of all
  // ranks: the bytes are damaged.
  PmiActions exchanged(const std::vector<std::string>& of_nodes);

  // Whether the rank has called MPI_Init, and MPI_Finalize. A rank that ends in between has failed, whatever its exit code is.
  bool initialized(uint32_t local) const { return clients_.at(local).version != 0; }
  bool finalized(uint32_t local) const { return clients_.at(local).finalized; }

  // Of the longest spawn request, in bytes; and of requests for node attributes that wait.
  static constexpr size_t most_waiting = 1024;

 private:
  struct Client {
    uint32_t local = 0;
    std::string input;  // not yet a whole message
    int version = 0;    // 0: before `init`
    bool finalized = false;
    bool faulty = false;
    bool spawning = false;  // inside the lines of a PMI-1 spawn request
    bool in_barrier = false;
    std::string thread;  // of the PMI-2 request that waits in the barrier
  };
  struct Waiting {
    uint32_t local = 0;
    std::string key;
    std::string thread;
  };

  bool take_message(Client& client, PmiActions& actions);
  void fault(Client& client, const std::string& why, PmiActions& actions);
  void handle_line(Client& client, const std::string& line, PmiActions& actions);
  void handle_fields(Client& client, const PmiMessage& asked, PmiActions& actions);
  void init(Client& client, const PmiMessage& asked, PmiActions& actions);
  void enter_barrier(Client& client, const std::string& thread, PmiActions& actions);
  void leave_barrier(PmiActions& actions);
  PmiMessage answer_of_line(Client& client, const PmiMessage& asked, PmiActions& actions);
  void answer_attribute(const PmiMessage& asked, PmiMessage& answer) const;
  bool get_node_attribute(Client& client, const PmiMessage& asked, PmiMessage& answer);
  void put_node_attribute(const PmiMessage& asked, PmiMessage& answer, PmiActions& actions);
  void abort(const Client& client, const PmiMessage& asked, PmiActions& actions) const;
  uint32_t app_of(const Client& client) const;

  const PmiWorld world_;
  const bool alone_;  // the job has one node
  std::vector<Client> clients_;
  PmiStore store_;
  PmiStore attributes_;  // of this node (PMI-2)
  std::vector<Waiting> waiting_;
  size_t in_barrier_ = 0;
};

}  // namespace muster
