// SPDX-License-Identifier: Apache-2.0
// The functions of muster.h for communicators.
#include <cmath>

#include "core/worker/collective/communicator.h"
#include "core/worker/handles.h"
#include "muster/muster.h"

using muster::Status;
using muster::worker::Backend;
using muster::worker::Communicator;
using muster::worker::CommunicatorOptions;
using muster::worker::guarded;
using muster::worker::Reduce;
using muster::worker::Type;
using muster::worker::wrong;

static_assert(static_cast<int>(Type::bfloat16) == MUSTER_BFLOAT16 && static_cast<int>(Type::float32) == MUSTER_FLOAT32);
static_assert(static_cast<int>(Reduce::average) == MUSTER_AVERAGE && static_cast<int>(Reduce::min) == MUSTER_MIN);
static_assert(static_cast<int>(Backend::nccl) == MUSTER_BACKEND_NCCL &&
              static_cast<int>(Backend::gloo) == MUSTER_BACKEND_GLOO);

struct muster_communicator {
  std::unique_ptr<Communicator> communicator;
};

namespace {

// Ten years: longer than any job, and far below the overflow of clocks.
constexpr double longest_timeout = 10.0 * 365 * 24 * 3600;

template <typename Act>
muster_code with(muster_communicator* communicator, const char* call, Act act) {
  return guarded(call, [&] {
    if (communicator == nullptr) return wrong(call, "the communicator is null");
    return act(*communicator->communicator);
  });
}

Status check(const char* call, muster_type type, muster_reduce reduce) {
  if (type < MUSTER_INT8 || type > MUSTER_BFLOAT16) return wrong(call, "unknown type " + std::to_string(type));
  if (reduce < MUSTER_SUM || reduce > MUSTER_AVERAGE) return wrong(call, "unknown reduction " + std::to_string(reduce));
  return Status();
}

// Members that an older header of the caller lacks keep their defaults.
Status read(const char* call, const muster_communicator_options* from, CommunicatorOptions& options) {
  if (from == nullptr) return Status();
  const auto has = [&](size_t offset, size_t size) { return from->size >= offset + size; };
#define MUSTER_HAS(member) has(offsetof(muster_communicator_options, member), sizeof from->member)
  if (!MUSTER_HAS(name))
    return wrong(call, "the size of the options is " + std::to_string(from->size) +
                           "; set it to sizeof(muster_communicator_options)");
  if (from->name != nullptr) options.name = from->name;
  if (MUSTER_HAS(backend)) {
    if (from->backend < MUSTER_BACKEND_AUTO || from->backend > MUSTER_BACKEND_NCCL) {
      return wrong(call, "unknown backend " + std::to_string(from->backend));
    }
    options.backend = static_cast<Backend>(from->backend);
  }
  if (MUSTER_HAS(timeout) && from->timeout != 0) {
    if (!(from->timeout > 0)) return wrong(call, "the timeout must be 0 or more seconds");
    const double seconds = std::min(from->timeout, longest_timeout);
    options.timeout = std::chrono::duration_cast<muster::Duration>(std::chrono::duration<double>(seconds));
  }
  if (MUSTER_HAS(stream)) options.stream = from->stream;
#undef MUSTER_HAS
  return Status();
}

Status give(Communicator::Opened opened, muster_communicator** to) {
  if (!opened.ok()) return opened.status();
  if (*opened) *to = new muster_communicator{std::move(*opened)};
  return Status();
}

std::string name_or(const char* name, const Communicator& parent) { return name != nullptr ? name : parent.name(); }

}  // namespace

extern "C" {

#define MUSTER_EXPORT __attribute__((visibility("default")))

MUSTER_EXPORT muster_code muster_communicator_open(muster_context* context, const muster_communicator_options* options,
                                                   muster_communicator** communicator) {
  constexpr const char* call = "muster_communicator_open";
  return guarded(call, [&] {
    if (communicator == nullptr) return wrong(call, "the pointer for the new communicator is null");
    *communicator = nullptr;
    if (context == nullptr) return wrong(call, "the context is null");
    CommunicatorOptions wanted;
    if (Status bad = read(call, options, wanted); !bad.ok()) return bad;
    return give(Communicator::open(muster::worker::meeting_of(context), wanted), communicator);
  });
}

MUSTER_EXPORT muster_code muster_communicator_split(muster_communicator* parent, int32_t color, int32_t key,
                                                    const char* name, muster_communicator** child) {
  constexpr const char* call = "muster_communicator_split";
  return with(parent, call, [&](Communicator& from) {
    if (child == nullptr) return wrong(call, "the pointer for the new communicator is null");
    *child = nullptr;
    return give(from.split(color, key, name_or(name, from)), child);
  });
}

MUSTER_EXPORT muster_code muster_communicator_shrink(muster_communicator* parent, const uint32_t* gone,
                                                     size_t gone_count, const char* name, muster_communicator** child) {
  constexpr const char* call = "muster_communicator_shrink";
  return with(parent, call, [&](Communicator& from) {
    if (child == nullptr) return wrong(call, "the pointer for the new communicator is null");
    *child = nullptr;
    if (gone == nullptr && gone_count > 0) return wrong(call, "gone is null, but gone_count is not 0");
    return give(from.shrink(std::vector<uint32_t>(gone, gone + gone_count), name_or(name, from)), child);
  });
}

MUSTER_EXPORT muster_code muster_communicator_grow(muster_context* context, muster_communicator* parent,
                                                   const uint32_t* members, size_t member_count, const char* name,
                                                   muster_communicator** child) {
  constexpr const char* call = "muster_communicator_grow";
  return guarded(call, [&] {
    if (child == nullptr) return wrong(call, "the pointer for the new communicator is null");
    *child = nullptr;
    if (context == nullptr) return wrong(call, "the context is null");
    if (members == nullptr) return wrong(call, "members is null");
    Communicator* from = parent == nullptr ? nullptr : parent->communicator.get();
    const std::string named = name != nullptr ? name : "world of " + std::to_string(member_count);
    return give(Communicator::grow(muster::worker::meeting_of(context), from, {members, members + member_count}, named),
                child);
  });
}

MUSTER_EXPORT void muster_communicator_close(muster_communicator* communicator) { delete communicator; }

MUSTER_EXPORT uint32_t muster_communicator_rank(const muster_communicator* communicator) {
  return communicator == nullptr ? 0 : communicator->communicator->rank();
}

MUSTER_EXPORT uint32_t muster_communicator_size(const muster_communicator* communicator) {
  return communicator == nullptr ? 0 : communicator->communicator->size();
}

MUSTER_EXPORT muster_backend muster_communicator_backend(const muster_communicator* communicator) {
  return communicator == nullptr ? MUSTER_BACKEND_AUTO
                                 : static_cast<muster_backend>(communicator->communicator->backend());
}

MUSTER_EXPORT muster_code muster_all_reduce(muster_communicator* communicator, const void* in, void* out, size_t count,
                                            muster_type type, muster_reduce reduce) {
  return with(communicator, "muster_all_reduce", [&](Communicator& all) {
    if (Status bad = check("muster_all_reduce", type, reduce); !bad.ok()) return bad;
    return all.all_reduce(in, out, count, static_cast<Type>(type), static_cast<Reduce>(reduce));
  });
}

MUSTER_EXPORT muster_code muster_reduce_scatter(muster_communicator* communicator, const void* in, void* out,
                                                size_t count, muster_type type, muster_reduce reduce) {
  return with(communicator, "muster_reduce_scatter", [&](Communicator& all) {
    if (Status bad = check("muster_reduce_scatter", type, reduce); !bad.ok()) return bad;
    return all.reduce_scatter(in, out, count, static_cast<Type>(type), static_cast<Reduce>(reduce));
  });
}

MUSTER_EXPORT muster_code muster_all_gather(muster_communicator* communicator, const void* in, void* out, size_t count,
                                            muster_type type) {
  return with(communicator, "muster_all_gather", [&](Communicator& all) {
    if (Status bad = check("muster_all_gather", type, MUSTER_SUM); !bad.ok()) return bad;
    return all.all_gather(in, out, count, static_cast<Type>(type));
  });
}

MUSTER_EXPORT muster_code muster_broadcast(muster_communicator* communicator, void* data, size_t count,
                                           muster_type type, uint32_t root) {
  return with(communicator, "muster_broadcast", [&](Communicator& all) {
    if (Status bad = check("muster_broadcast", type, MUSTER_SUM); !bad.ok()) return bad;
    return all.broadcast(data, count, static_cast<Type>(type), root);
  });
}

MUSTER_EXPORT muster_code muster_send(muster_communicator* communicator, const void* data, size_t count,
                                      muster_type type, uint32_t to) {
  return with(communicator, "muster_send", [&](Communicator& all) {
    if (Status bad = check("muster_send", type, MUSTER_SUM); !bad.ok()) return bad;
    return all.send(data, count, static_cast<Type>(type), to);
  });
}

MUSTER_EXPORT muster_code muster_receive(muster_communicator* communicator, void* data, size_t count, muster_type type,
                                         uint32_t from) {
  return with(communicator, "muster_receive", [&](Communicator& all) {
    if (Status bad = check("muster_receive", type, MUSTER_SUM); !bad.ok()) return bad;
    return all.receive(data, count, static_cast<Type>(type), from);
  });
}

MUSTER_EXPORT muster_code muster_communicator_barrier(muster_communicator* communicator) {
  return with(communicator, "muster_communicator_barrier", [](Communicator& all) { return all.barrier(); });
}

MUSTER_EXPORT muster_code muster_synchronize(muster_communicator* communicator) {
  return with(communicator, "muster_synchronize", [](Communicator& all) { return all.synchronize(); });
}

}  // extern "C"
