// SPDX-License-Identifier: Apache-2.0
// A stand-in for libnccl.so.2 and libcuda.so.1 in one file, for tests on machines without a GPU. Ranks are threads of one
// process, "GPU memory" is host memory, and a stream counts its operations in progress. The last rank that calls an operation
// executes it; ranks that call different operations wait for ever, as with NCCL. Controlled by environment variables, which
// are read at each call:
//   MUSTER_STAND_IN_VERSION=21500  the version that it reports
//   MUSTER_STAND_IN_GPUS=0         the number of devices
//   MUSTER_STAND_IN_REFUSE=grow    ncclCommGrow fails
//   MUSTER_STAND_IN_HANG=init      initialization never ends
//   MUSTER_STAND_IN_ERROR=3        the third operation of each rank fails
#include <algorithm>
#include <array>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <tuple>
#include <vector>

#include "core/worker/collective/nccl_abi.h"

namespace {

using muster::worker::nccl::Result;
using muster::worker::nccl::UniqueId;

constexpr std::array<size_t, 10> widths = {1, 1, 4, 4, 8, 8, 2, 4, 8, 2};

std::mutex& everything() {  // mutex: protects all state; ranks are threads
  static std::mutex mutex;
  return mutex;
}
int setting(const char* name, int otherwise) {
  const char* value = std::getenv(name);
  return value == nullptr ? otherwise : std::atoi(value);
}
bool says(const char* name, const char* value) {
  const char* now = std::getenv(name);
  return now != nullptr && std::strcmp(now, value) == 0;
}

struct Stream {
  int under_way = 0;
};

struct Operation {
  std::string what;  // must be the same on all ranks
  const void* in;
  void* out;
  size_t bytes, count;
  int type, reduce, root;
  Stream* stream;
};

struct World;
struct Rank {
  std::shared_ptr<World> world;
  int rank = 0;
  bool dead = false;
  int operations = 0;
  Result error = muster::worker::nccl::success;
  std::deque<Operation> queue;  // collectives that wait for the others
};
struct World {
  int size = 0;
  std::vector<Rank*> ranks;
  int joined = 0;
  std::map<std::pair<int, int>, std::deque<Operation>> sends, receives;
  std::map<std::tuple<int, int, int>, std::shared_ptr<World>> children;  // by generation, kind and color
  std::map<int, std::map<int, std::pair<int, int>>> splits;              // generation → rank → color, key
  std::vector<int> split_generation;
  std::shared_ptr<World> growing;  // created with its id
};

std::map<std::string, std::weak_ptr<World>>& worlds() {
  static std::map<std::string, std::weak_ptr<World>> all;
  return all;
}

template <typename T>
void reduce_all(std::vector<Operation*>& parts, size_t first, size_t count, void* out) {
  for (size_t i = 0; i < count; ++i) {
    T value = static_cast<const T*>(parts[0]->in)[first + i];
    for (size_t rank = 1; rank < parts.size(); ++rank) {
      const T other = static_cast<const T*>(parts[rank]->in)[first + i];
      switch (parts[0]->reduce) {
        case 1: value = static_cast<T>(value * other); break;
        case 2: value = std::max(value, other); break;
        case 3: value = std::min(value, other); break;
        default: value = static_cast<T>(value + other);
      }
    }
    if (parts[0]->reduce == 4) value = static_cast<T>(value / static_cast<T>(parts.size()));
    static_cast<T*>(out)[i] = value;
  }
}

void reduce_typed(std::vector<Operation*>& parts, size_t first, size_t count, void* out) {
  switch (parts[0]->type) {
    case 2: return reduce_all<int32_t>(parts, first, count, out);
    case 4: return reduce_all<int64_t>(parts, first, count, out);
    case 7: return reduce_all<float>(parts, first, count, out);
    case 8: return reduce_all<double>(parts, first, count, out);
    default: return reduce_all<uint8_t>(parts, first, count, out);
  }
}

void perform(std::vector<Operation*> parts) {
  const std::string kind = parts[0]->what.substr(0, parts[0]->what.find(' '));
  const size_t bytes = parts[0]->bytes, count = parts[0]->count;
  std::vector<std::vector<char>> results(parts.size());
  for (size_t rank = 0; rank < parts.size(); ++rank) {
    if (kind == "all_reduce" || kind == "reduce_scatter") {
      results[rank].resize(bytes);
      reduce_typed(parts, kind == "all_reduce" ? 0 : rank * count, count, results[rank].data());
    } else if (kind == "all_gather") {
      for (Operation* part : parts) {
        results[rank].insert(results[rank].end(), static_cast<const char*>(part->in),
                             static_cast<const char*>(part->in) + bytes);
      }
    } else {
      const char* root = static_cast<const char*>(parts[parts[0]->root]->in);
      results[rank].assign(root, root + bytes);
    }
  }
  for (size_t rank = 0; rank < parts.size(); ++rank) {
    if (parts[rank]->out != nullptr) std::memcpy(parts[rank]->out, results[rank].data(), results[rank].size());
    --parts[rank]->stream->under_way;
  }
}

// Executes every collective that all ranks have called.
void advance(World& world) {
  while (true) {
    std::vector<Operation*> parts;
    for (Rank* rank : world.ranks) {
      if (rank == nullptr || rank->dead || rank->queue.empty()) return;
      parts.push_back(&rank->queue.front());
      if (parts.back()->what != parts.front()->what) return;
    }
    perform(parts);
    for (Rank* rank : world.ranks) rank->queue.pop_front();
  }
}

bool fails(Rank& rank) {
  ++rank.operations;
  if (rank.operations == setting("MUSTER_STAND_IN_ERROR", 0)) rank.error = muster::worker::nccl::remote_error;
  return rank.error != muster::worker::nccl::success;
}

Result put(void* communicator, Operation operation) {
  std::lock_guard lock(everything());
  Rank& rank = *static_cast<Rank*>(communicator);
  if (operation.stream == nullptr) return 4;
  ++operation.stream->under_way;
  if (fails(rank)) return 0;
  rank.queue.push_back(std::move(operation));
  advance(*rank.world);
  return 0;
}

Result join(std::shared_ptr<World> world, int size, int rank, void** communicator) {
  world->size = size;
  world->ranks.resize(size);
  world->split_generation.resize(size);
  auto* made = new Rank;
  made->world = world;
  made->rank = rank;
  world->ranks[rank] = made;
  ++world->joined;
  *communicator = made;
  return muster::worker::nccl::in_progress;
}

Operation operation(const char* kind, const void* in, void* out, size_t count, int type, int reduce, int root,
                    void* stream) {
  const std::string what = std::string(kind) + ' ' + std::to_string(count) + ' ' + std::to_string(type) + ' ' +
                           std::to_string(reduce) + ' ' + std::to_string(root);
  return {what, in, out, count * widths.at(type), count, type, reduce, root, static_cast<Stream*>(stream)};
}

Result message(void* communicator, bool send, const void* in, void* out, size_t count, int type, int peer,
               void* stream) {
  std::lock_guard lock(everything());
  Rank& rank = *static_cast<Rank*>(communicator);
  Operation mine = operation("message", in, out, count, type, 0, 0, stream);
  ++mine.stream->under_way;
  if (fails(rank)) return 0;
  const std::pair<int, int> pair = send ? std::pair(rank.rank, peer) : std::pair(peer, rank.rank);
  auto& theirs = send ? rank.world->receives[pair] : rank.world->sends[pair];
  if (theirs.empty() || theirs.front().what != mine.what) {
    (send ? rank.world->sends : rank.world->receives)[pair].push_back(mine);
    return 0;
  }
  Operation other = theirs.front();
  theirs.pop_front();
  std::memcpy(send ? other.out : mine.out, send ? mine.in : other.in, mine.bytes);
  --mine.stream->under_way;
  --other.stream->under_way;
  return 0;
}

}  // namespace

extern "C" {

#define STAND_IN __attribute__((visibility("default")))

STAND_IN Result ncclGetVersion(int* version) {
  *version = setting("MUSTER_STAND_IN_VERSION", 23203);
  return 0;
}
STAND_IN Result ncclGetUniqueId(UniqueId* id) {
  std::lock_guard lock(everything());
  static int last = 0;
  std::memset(id, 0, sizeof *id);
  std::snprintf(id->internal, sizeof id->internal, "stand-in %d", ++last);
  return 0;
}
STAND_IN Result ncclCommInitRankScalable(void** communicator, int size, int rank, int ids, UniqueId* all, void*) {
  std::lock_guard lock(everything());
  std::string name;
  for (int i = 0; i < ids; ++i) name += std::string(all[i].internal) + ';';
  std::shared_ptr<World> world = worlds()[name].lock();
  if (!world) worlds()[name] = world = std::make_shared<World>();
  return join(world, size, rank, communicator);
}
STAND_IN Result ncclCommInitRankConfig(void** communicator, int size, UniqueId id, int rank, void* config) {
  return ncclCommInitRankScalable(communicator, size, rank, 1, &id, config);
}
STAND_IN Result ncclCommSplit(void* parent, int color, int key, void** communicator, void*) {
  std::lock_guard lock(everything());
  Rank& rank = *static_cast<Rank*>(parent);
  World& world = *rank.world;
  const int generation = world.split_generation[rank.rank]++;
  world.splits[generation][rank.rank] = {color, key};
  *communicator = nullptr;
  if (color >= 0) {
    // The final rank is known when all ranks have called it.
    auto& child = world.children[{generation, 0, color}];
    if (!child) child = std::make_shared<World>();
    auto* made = new Rank;
    made->world = child;
    made->rank = -1 - rank.rank;
    child->ranks.push_back(made);
    *communicator = made;
  }
  if (world.splits[generation].size() < world.ranks.size()) return 0;
  for (auto& [name, each] : world.children) {
    if (std::get<0>(name) != generation || std::get<1>(name) != 0) continue;
    std::sort(each->ranks.begin(), each->ranks.end(), [&](Rank* a, Rank* b) {
      const auto place = [&](Rank* one) {
        return std::pair(world.splits[generation][-1 - one->rank].second, -1 - one->rank);
      };
      return place(a) < place(b);
    });
    for (size_t i = 0; i < each->ranks.size(); ++i) each->ranks[i]->rank = static_cast<int>(i);
    each->size = each->joined = static_cast<int>(each->ranks.size());
    each->split_generation.resize(each->ranks.size());
  }
  return 0;
}
STAND_IN Result ncclCommShrink(void* parent, int* gone, int count, void** communicator, void*, int) {
  std::lock_guard lock(everything());
  Rank& rank = *static_cast<Rank*>(parent);
  for (Operation& left : rank.queue) --left.stream->under_way;
  rank.queue.clear();
  rank.error = 0;
  int place = rank.rank;
  for (int i = 0; i < count; ++i) place -= gone[i] < rank.rank ? 1 : 0;
  auto& child = rank.world->children[{0, 1, 0}];
  if (!child) child = std::make_shared<World>();
  join(child, rank.world->size - count, place, communicator);
  return 0;
}
// One id at a time: it is used up when all ranks have called ncclCommGrow.
STAND_IN Result ncclCommGetUniqueId(void* parent, UniqueId* id) {
  if (const Result made = ncclGetUniqueId(id); made != 0) return made;
  std::lock_guard lock(everything());
  std::shared_ptr<World>& growing = static_cast<Rank*>(parent)->world->growing;
  if (growing && growing->joined != growing->size) return 5;
  worlds()[id->internal] = growing = std::make_shared<World>();
  growing->size = -1;
  return 0;
}
STAND_IN Result ncclCommGrow(void* parent, int size, const UniqueId* id, int rank, void** communicator, void*) {
  std::lock_guard lock(everything());
  if (says("MUSTER_STAND_IN_REFUSE", "grow")) return 3;
  if (parent == nullptr) {
    std::shared_ptr<World> world = id == nullptr ? nullptr : worlds()[id->internal].lock();
    return world && rank >= 0 && rank < size ? join(world, size, rank, communicator) : 4;
  }
  Rank& old = *static_cast<Rank*>(parent);
  if (rank != -1 || (id != nullptr) != (old.rank == 0) || !old.queue.empty() || !old.world->growing) return 4;
  return join(old.world->growing, size, old.rank, communicator);
}
STAND_IN Result ncclCommGetAsyncError(void* communicator, Result* error) {
  std::lock_guard lock(everything());
  const Rank& rank = *static_cast<Rank*>(communicator);
  const bool ready =
      rank.world->joined > 0 && rank.world->joined == rank.world->size && !says("MUSTER_STAND_IN_HANG", "init");
  *error = rank.error != 0 ? rank.error : ready ? 0 : muster::worker::nccl::in_progress;
  return 0;
}
STAND_IN Result ncclCommAbort(void* communicator) {
  std::lock_guard lock(everything());
  Rank* rank = static_cast<Rank*>(communicator);
  for (Operation& left : rank->queue) --left.stream->under_way;
  for (Rank*& each : rank->world->ranks) {
    if (each == rank) each = nullptr;
  }
  delete rank;
  return 0;
}
STAND_IN Result ncclCommFinalize(void*) { return 0; }
STAND_IN Result ncclCommDestroy(void* communicator) { return ncclCommAbort(communicator); }
STAND_IN const char* ncclGetErrorString(Result result) {
  return result == 6 ? "remote process exited or there was a network error" : "an error";
}
STAND_IN const char* ncclGetLastError(void*) { return ""; }
STAND_IN Result ncclAllReduce(const void* in, void* out, size_t count, int type, int reduce, void* communicator,
                              void* stream) {
  return put(communicator, operation("all_reduce", in, out, count, type, reduce, 0, stream));
}
STAND_IN Result ncclReduceScatter(const void* in, void* out, size_t count, int type, int reduce, void* communicator,
                                  void* stream) {
  return put(communicator, operation("reduce_scatter", in, out, count, type, reduce, 0, stream));
}
STAND_IN Result ncclAllGather(const void* in, void* out, size_t count, int type, void* communicator, void* stream) {
  return put(communicator, operation("all_gather", in, out, count, type, 0, 0, stream));
}
STAND_IN Result ncclBroadcast(const void* in, void* out, size_t count, int type, int root, void* communicator,
                              void* stream) {
  return put(communicator, operation("broadcast", in, out, count, type, 0, root, stream));
}
STAND_IN Result ncclSend(const void* in, size_t count, int type, int peer, void* communicator, void* stream) {
  return message(communicator, true, in, nullptr, count, type, peer, stream);
}
STAND_IN Result ncclRecv(void* out, size_t count, int type, int peer, void* communicator, void* stream) {
  return message(communicator, false, nullptr, out, count, type, peer, stream);
}

STAND_IN int cuInit(unsigned) { return 0; }
STAND_IN int cuDeviceGetCount(int* count) {
  *count = setting("MUSTER_STAND_IN_GPUS", 1);
  return 0;
}
STAND_IN int cuDeviceGet(int* device, int index) {
  *device = index;
  return 0;
}
STAND_IN int cuDevicePrimaryCtxRetain(void** context, int) {
  static int one;
  *context = &one;
  return 0;
}
STAND_IN int cuDevicePrimaryCtxRelease_v2(int) { return 0; }
STAND_IN int cuCtxGetCurrent(void** context) {
  *context = nullptr;
  return 0;
}
STAND_IN int cuCtxSetCurrent(void*) { return 0; }
STAND_IN int cuStreamCreate(void** stream, unsigned) {
  *stream = new Stream;
  return 0;
}
STAND_IN int cuStreamQuery(void* stream) {
  std::lock_guard lock(everything());
  return static_cast<Stream*>(stream)->under_way > 0 ? 600 : 0;
}
STAND_IN int cuStreamDestroy_v2(void* stream) {
  delete static_cast<Stream*>(stream);
  return 0;
}
STAND_IN int cuMemAlloc_v2(unsigned long long* pointer, size_t size) {
  *pointer = reinterpret_cast<unsigned long long>(std::calloc(1, size));
  return 0;
}
STAND_IN int cuMemFree_v2(unsigned long long pointer) {
  std::free(reinterpret_cast<void*>(pointer));
  return 0;
}
STAND_IN int cuGetErrorString(int, const char** text) {
  *text = "an error";
  return 0;
}

}  // extern "C"
