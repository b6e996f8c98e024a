// SPDX-License-Identifier: Apache-2.0
#include "core/node/pmix/pmix_world.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <future>
#include <set>

#include "core/node/pmix/pmix_values.h"

namespace muster {
namespace {

// libpmix passes no context to most of its calls.
PmixWorld* world = nullptr;

pmix_status_t client_connected(const pmix_proc_t* rank, void*, pmix_info_t*, size_t, pmix_op_cbfunc_t, void*) {
  world->connected(rank->rank);
  return PMIX_OPERATION_SUCCEEDED;
}

pmix_status_t client_finalized(const pmix_proc_t* rank, void*, pmix_op_cbfunc_t, void*) {
  world->finalized(rank->rank);
  return PMIX_OPERATION_SUCCEEDED;
}

// The rank exits by itself once this has returned; the agent then ends the others.
pmix_status_t client_aborted(const pmix_proc_t* rank, void*, int code, const char*, pmix_proc_t*, size_t,
                             pmix_op_cbfunc_t, void*) {
  world->aborted(rank->rank, code);
  return PMIX_OPERATION_SUCCEEDED;
}

pmix_status_t fence(const pmix_proc_t* ranks, size_t count, const pmix_info_t*, size_t, char* data, size_t bytes,
                    pmix_modex_cbfunc_t done, void* context) {
  world->fence({ranks, ranks + count}, data == nullptr ? "" : std::string(data, bytes), done, context);
  return PMIX_SUCCESS;
}

pmix_status_t direct_modex(const pmix_proc_t* rank, const pmix_info_t*, size_t, pmix_modex_cbfunc_t done,
                           void* context) {
  world->fetch(rank->rank, done, context);
  return PMIX_SUCCESS;
}

pmix_status_t publish(const pmix_proc_t* rank, const pmix_info_t*, size_t, pmix_op_cbfunc_t, void*) {
  world->refused(rank->rank, "MPI_Publish_name");
  return PMIX_ERR_NOT_SUPPORTED;
}

pmix_status_t lookup(const pmix_proc_t* rank, char**, const pmix_info_t*, size_t, pmix_lookup_cbfunc_t, void*) {
  world->refused(rank->rank, "MPI_Lookup_name");
  return PMIX_ERR_NOT_SUPPORTED;
}

pmix_status_t spawn(const pmix_proc_t* rank, const pmix_info_t*, size_t, const pmix_app_t*, size_t, pmix_spawn_cbfunc_t,
                    void*) {
  world->refused(rank->rank, "MPI_Comm_spawn");
  return PMIX_ERR_NOT_SUPPORTED;
}

// Later versions of libpmix have more members in this structure; they read zeros there.
struct Module {
  pmix_server_module_t known{};
  void* later[32] = {};
};

pmix_server_module_t* module_of_calls() {
  static Module module;
  module.known.client_connected2 = client_connected;
  module.known.client_finalized = client_finalized;
  module.known.abort = client_aborted;
  module.known.fence_nb = fence;
  module.known.direct_modex = direct_modex;
  module.known.publish = publish;
  module.known.lookup = lookup;
  module.known.spawn = spawn;
  return &module.known;
}

void complete(pmix_status_t status, void* context) {
  static_cast<std::promise<pmix_status_t>*>(context)->set_value(status);
}

// Makes a call of libpmix that ends in a callback, and waits for it.
template <typename Call>
pmix_status_t call_and_wait(Call call) {
  std::promise<pmix_status_t> ended;
  const pmix_status_t begun = call(&complete, static_cast<void*>(&ended));
  if (begun == PMIX_OPERATION_SUCCEEDED) return PMIX_SUCCESS;
  return begun == PMIX_SUCCESS ? ended.get_future().get() : begun;
}

void delete_text(void* text) { delete static_cast<std::string*>(text); }

// Passes the data to libpmix, which deletes them when it has read them.
void answer(pmix_modex_cbfunc_t done, void* context, const std::string& failure, std::string data) {
  if (!failure.empty()) return done(PMIX_ERR_UNREACH, nullptr, 0, context, nullptr, nullptr);
  auto* const kept = new std::string(std::move(data));
  done(PMIX_SUCCESS, kept->data(), kept->size(), context, delete_text, kept);
}

// The context of a request of another node.
struct Fetched {
  std::function<void(const std::string& answer)> tell;
};

// The first byte says whether there are data.
void fetched(pmix_status_t status, char* data, size_t bytes, void* context) {
  const std::unique_ptr<Fetched> request(static_cast<Fetched*>(context));
  const bool whole = status == PMIX_SUCCESS && data != nullptr;
  request->tell(whole ? "+" + std::string(data, bytes) : "-");
}

pmix_proc_t proc_of(const std::string& name_space, uint32_t rank) {
  pmix_proc_t proc;
  std::memset(&proc, 0, sizeof proc);
  std::strncpy(proc.nspace, name_space.c_str(), PMIX_MAX_NSLEN);
  proc.rank = rank;
  return proc;
}

uint32_t program_count(const std::vector<std::vector<uint32_t>>& apps) {
  uint32_t last = 0;
  for (const std::vector<uint32_t>& of_node : apps) {
    for (const uint32_t app : of_node) last = std::max(last, app);
  }
  return last + 1;
}

// A list in libpmix's compressed form. A longer list gets a binary form, for which only `raw` text is an alternative.
template <typename Generate>
std::string compressed(Generate generate, const std::string& list) {
  char* text = nullptr;
  const pmix_status_t status = generate(list.c_str(), &text);
  const std::string found = status == PMIX_SUCCESS && text != nullptr ? text : "";
  std::free(text);
  return found.empty() || found.starts_with("blob") ? "raw:" + list : found;
}

}  // namespace

Result<std::unique_ptr<PmixWorld>> PmixWorld::start(const PmixLibrary& library, PmixWorldTask task, Send send) {
  std::unique_ptr<PmixWorld> started(new PmixWorld(library, std::move(task), std::move(send)));
  world = started.get();
  if (const Status begun = started->begin(); !begun.ok()) return begun;
  return started;
}

Status PmixWorld::begin() {
  const auto failed = [this](const std::string& what, pmix_status_t status) {
    return Status(Code::unavailable, what + " of " + library_.file + " failed: " + library_.error_string(status));
  };
  PmixValues server;
  server.text(PMIX_SERVER_TMPDIR, task_.folder);
  server.text(PMIX_SYSTEM_TMPDIR, task_.folder);
  server.text(PMIX_SERVER_NSPACE, "muster-" + std::to_string(getpid()));
  server.rank(PMIX_SERVER_RANK, task_.node);
  server.text(PMIX_HOSTNAME, task_.names[task_.node]);
  server.number(PMIX_NODEID, task_.node);
  pmix_status_t status = library_.server_init(module_of_calls(), server.data(), server.size());
  if (status != PMIX_SUCCESS) return failed("PMIx_server_init", status);
  if (const Status registered = register_world(); !registered.ok()) return registered;
  if (const Status registered = register_apps(); !registered.ok()) return registered;
  if (const Status registered = register_ranks(); !registered.ok()) return registered;
  for (uint32_t node = 0; node < task_.names.size(); ++node) {
    if (node != task_.node) wait_for_request(node, 1);
  }
  return Status();
}

// The two maps are what libpmix needs: it derives every rank's place from them. Per-rank data would switch that off
// (docs/design/mpi.md).
Status PmixWorld::register_world() {
  std::string names, ranks;
  uint32_t size = 0;
  for (size_t node = 0; node < task_.names.size(); ++node) {
    names += (node == 0 ? "" : ",") + task_.names[node];
    ranks += (node == 0 ? "" : ";") + pmix_numbers(task_.ranks[node]);
    size += static_cast<uint32_t>(task_.ranks[node].size());
  }
  const std::vector<uint32_t>& own = task_.ranks[task_.node];
  PmixValues values;
  values.text(PMIX_NODE_MAP, compressed(library_.generate_regex, names));
  values.text(PMIX_PROC_MAP, compressed(library_.generate_ppn, ranks));
  values.text(PMIX_JOBID, task_.name_space);
  values.number(PMIX_UNIV_SIZE, size);
  values.number(PMIX_JOB_SIZE, size);
  values.number(PMIX_MAX_PROCS, size);
  values.number(PMIX_JOB_NUM_APPS, program_count(task_.apps));
  values.number(PMIX_NUM_NODES, static_cast<uint32_t>(task_.names.size()));
  values.number(PMIX_LOCAL_SIZE, static_cast<uint32_t>(own.size()));
  values.text(PMIX_LOCAL_PEERS, pmix_numbers(own));
  values.text(PMIX_TMPDIR, task_.folder);
  values.text(PMIX_NSDIR, task_.folder);
  values.flag(PMIX_TDIR_RMCLEAN, true);
  const pmix_status_t status = call_and_wait([&](pmix_op_cbfunc_t done, void* context) {
    return library_.register_nspace(task_.name_space.c_str(), static_cast<int>(own.size()), values.data(),
                                    values.size(), done, context);
  });
  if (status == PMIX_SUCCESS) return Status();
  return {Code::unavailable, "PMIx_server_register_nspace failed: " + std::string(library_.error_string(status))};
}

// Ranks find their number among the data that libpmix has derived of them. Registered data would replace these.
Status PmixWorld::register_apps() {
  if (library_.store_internal == nullptr) return Status();
  for (size_t node = 0; node < task_.apps.size(); ++node) {
    for (size_t i = 0; i < std::min(task_.apps[node].size(), task_.ranks[node].size()); ++i) {
      const pmix_proc_t proc = proc_of(task_.name_space, task_.ranks[node][i]);
      pmix_value_t value;
      std::memset(&value, 0, sizeof value);
      value.type = PMIX_UINT32;
      value.data.uint32 = task_.apps[node][i];
      const pmix_status_t status = library_.store_internal(&proc, PMIX_APPNUM, &value);
      if (status != PMIX_SUCCESS)
        return {Code::unavailable, "PMIx_Store_internal failed: " + std::string(library_.error_string(status))};
    }
  }
  return Status();
}

Status PmixWorld::register_ranks() {
  for (const uint32_t rank : task_.ranks[task_.node]) {
    const pmix_proc_t proc = proc_of(task_.name_space, rank);
    const pmix_status_t status = call_and_wait([&](pmix_op_cbfunc_t done, void* context) {
      return library_.register_client(&proc, geteuid(), getegid(), nullptr, done, context);
    });
    if (status != PMIX_SUCCESS)
      return {Code::unavailable, "PMIx_server_register_client failed: " + std::string(library_.error_string(status))};
  }
  return Status();
}

Result<std::vector<PmixFields>> PmixWorld::environments() const {
  std::vector<PmixFields> all;
  for (const uint32_t rank : task_.ranks[task_.node]) {
    const pmix_proc_t proc = proc_of(task_.name_space, rank);
    char** variables = nullptr;
    const pmix_status_t status = library_.setup_fork(&proc, &variables);
    if (status != PMIX_SUCCESS)
      return Status(Code::unavailable, "PMIx_server_setup_fork failed: " + std::string(library_.error_string(status)));
    PmixFields& own = all.emplace_back();
    for (char** each = variables; each != nullptr && *each != nullptr; ++each) {
      own.emplace_back(*each);
      std::free(*each);
    }
    std::free(variables);
  }
  return all;
}

void PmixWorld::ask(const std::string& kind, const std::string& key, const std::string& value,
                    const std::vector<uint32_t>& ranks, Answered answered) {
  uint64_t id = 0;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    id = next_id_++;
    asked_[id] = std::move(answered);
  }
  send_({"ask", std::to_string(id), kind, key, value, pmix_numbers(ranks)});
}

void PmixWorld::answered(uint64_t id, const std::string& failure, const PmixFields& values) {
  Answered told;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = asked_.find(id);
    if (found == asked_.end()) return;
    told = std::move(found->second);
    asked_.erase(found);
  }
  told(failure, values);
}

uint32_t PmixWorld::node_of(uint32_t rank) const {
  for (uint32_t node = 0; node < task_.ranks.size(); ++node) {
    if (std::find(task_.ranks[node].begin(), task_.ranks[node].end(), rank) != task_.ranks[node].end()) return node;
  }
  return task_.node;
}

// The first rank of each node that takes part stands for the node. Nodes meet in the same order on all of them, so a counter for
// each set of ranks names the fence.
void PmixWorld::fence(const std::vector<pmix_proc_t>& ranks, std::string data, pmix_modex_cbfunc_t done,
                      void* context) {
  std::set<uint32_t> nodes;
  std::vector<uint32_t> named;
  bool all = false;
  for (const pmix_proc_t& proc : ranks) {
    if (proc.rank != PMIX_RANK_WILDCARD) {
      nodes.insert(node_of(proc.rank));
      named.push_back(proc.rank);
      continue;
    }
    for (uint32_t node = 0; node < task_.ranks.size(); ++node) nodes.insert(node);
    all = true;
  }
  std::vector<uint32_t> leaders;
  for (const uint32_t node : nodes) leaders.push_back(task_.ranks[node].front());
  const std::string whom = all ? "all" : pmix_group(std::move(named));
  const std::string name = "fence/" + whom + "/" + std::to_string(++fences_[whom]);
  ask("fence", key(name), data, leaders, [done, context](const std::string& failure, const PmixFields& values) {
    std::string all;
    for (const std::string& value : values) all += value;
    answer(done, context, failure, std::move(all));
  });
}

void PmixWorld::fetch(uint32_t rank, pmix_modex_cbfunc_t done, void* context) {
  const uint32_t target = node_of(rank);
  const std::string request = request_key(target, task_.node, ++requests_[target]);
  ask("set", request, std::to_string(rank), {}, [](const std::string&, const PmixFields&) {});
  ask("wait", request + "/reply", "", {}, [done, context](const std::string& failure, const PmixFields& values) {
    const bool whole = failure.empty() && !values.empty() && values[0].starts_with('+');
    answer(done, context, whole ? "" : "there are no data", whole ? values[0].substr(1) : "");
  });
}

std::string PmixWorld::request_key(uint32_t target, uint32_t from, uint64_t number) const {
  return key("modex/" + std::to_string(target) + "/from/" + std::to_string(from) + "/" + std::to_string(number));
}

void PmixWorld::wait_for_request(uint32_t from, uint64_t number) {
  const std::string request = request_key(task_.node, from, number);
  ask("wait", request, "", {}, [this, from, number, request](const std::string& failure, const PmixFields& values) {
    if (!failure.empty() || values.empty()) return;  // the attempt has ended
    serve_request(values[0], request + "/reply");
    wait_for_request(from, number + 1);
  });
}

// The data of a rank of this node are wanted under the key `reply`.
void PmixWorld::serve_request(const std::string& wanted_rank, const std::string& reply) {
  const std::vector<uint32_t> rank = numbers_in(wanted_rank);
  if (rank.empty()) return;
  auto* const wanted = new Fetched{[this, reply](const std::string& data) {
    ask("set", reply, data, {}, [](const std::string&, const PmixFields&) {});
  }};
  const pmix_proc_t proc = proc_of(task_.name_space, rank[0]);
  const pmix_status_t status = library_.dmodex_request(&proc, fetched, wanted);
  if (status != PMIX_SUCCESS) fetched(status, nullptr, 0, wanted);
}

}  // namespace muster
