// SPDX-License-Identifier: Apache-2.0
// PmixWorld: the MPI world of a node's ranks, served by libpmix in the helper process (pmix_helper.h). Ranks connect to it in
// MPI_Init. What concerns other nodes becomes a call of the rendezvous, which the agent makes:
//
//   fence         the nodes that take part exchange their data (NodeExchange), each as its first rank
//   direct modex  a request under a key of the two nodes, for which the other one waits, and the answer under a key beside it
//
// libpmix calls back without a context, so a process can have only one world. It calls on a thread of its own; the helper calls
// answered() on its main thread.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "core/node/pmix/pmix_library.h"
#include "core/node/pmix/pmix_message.h"

namespace muster {

struct PmixWorldTask {
  std::string name_space;
  std::string folder;                        // for files of libpmix and of the ranks' MPI library; exists, mode 0700
  uint32_t node = 0;                         // this node, as index of `ranks`
  std::vector<std::string> names;            // of the nodes
  std::vector<std::vector<uint32_t>> ranks;  // world ranks of each node
  std::vector<std::vector<uint32_t>> apps;   // the numbers of their programs; empty: 0
};

class PmixWorld {
 public:
  using Send = std::function<void(const PmixFields& message)>;  // to the agent; any thread

  // Starts the server and registers the ranks. Called once in a process; the object must live until the process ends.
  static Result<std::unique_ptr<PmixWorld>> start(const PmixLibrary& library, PmixWorldTask task, Send send);

  // Environment variables ("NAME=value") of each rank of this node, in the order of its ranks.
  Result<std::vector<PmixFields>> environments() const;

  // The answer to the call with this number. `failure`: empty, or why it failed.
  void answered(uint64_t id, const std::string& failure, const PmixFields& values);

  // Calls of libpmix.
  void connected(uint32_t rank) { send_({"connected", std::to_string(rank)}); }
  void finalized(uint32_t rank) { send_({"finalized", std::to_string(rank)}); }
  void aborted(uint32_t rank, int code) { send_({"aborted", std::to_string(rank), std::to_string(code)}); }
  void refused(uint32_t rank, const std::string& call) { send_({"refused", std::to_string(rank), call}); }
  void fence(const std::vector<pmix_proc_t>& ranks, std::string data, pmix_modex_cbfunc_t done, void* context);
  void fetch(uint32_t rank, pmix_modex_cbfunc_t done, void* context);

 private:
  using Answered = std::function<void(const std::string& failure, const PmixFields& values)>;

  PmixWorld(const PmixLibrary& library, PmixWorldTask task, Send send)
      : library_(library),
        task_(std::move(task)),
        send_(std::move(send)) {}
  Status begin();
  Status register_world();
  Status register_apps();
  Status register_ranks();
  void ask(const std::string& kind, const std::string& key, const std::string& value,
           const std::vector<uint32_t>& ranks, Answered answered);
  std::string request_key(uint32_t target, uint32_t from, uint64_t number) const;
  void wait_for_request(uint32_t from, uint64_t number);
  void serve_request(const std::string& wanted_rank, const std::string& reply);
  uint32_t node_of(uint32_t rank) const;
  std::string key(const std::string& name) const { return "pmix/" + task_.name_space + "/" + name; }

  const PmixLibrary library_;
  const PmixWorldTask task_;
  const Send send_;
  std::map<std::string, uint64_t> fences_;  // how often each set of nodes has met; on the thread of libpmix
  std::map<uint32_t, uint64_t> requests_;   // so far, to each node; on the thread of libpmix

  // mutex: protects the calls under way, since libpmix and the main thread make and end them.
  std::mutex mutex_;
  std::map<uint64_t, Answered> asked_;
  uint64_t next_id_ = 1;
};

}  // namespace muster
