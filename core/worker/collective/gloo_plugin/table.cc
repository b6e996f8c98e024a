// SPDX-License-Identifier: Apache-2.0
// The plugin's exported function and its table. C interface; no exception leaves it.
#include <algorithm>
#include <cstring>
#include <exception>
#include <vector>

#include "core/worker/collective/gloo_abi.h"
#include "core/worker/collective/gloo_plugin/algorithms.h"
#include "core/worker/collective/gloo_plugin/mesh.h"
#include "core/worker/signals.h"

using muster::worker::Interrupted;
using muster::worker::Kind;
using muster::worker::Mesh;
using muster::worker::NoSigpipe;
using muster::worker::Operation;
using muster::worker::PeerGone;
using muster::worker::Reduce;
using muster::worker::Type;

struct muster_gloo_mesh {
  Mesh mesh;
};

namespace {

muster_gloo_code say(muster_gloo_outcome* outcome, muster_gloo_code code, int peer, const char* text) {
  outcome->code = code;
  outcome->peer = peer;
  std::strncpy(outcome->text, text, sizeof outcome->text - 1);
  outcome->text[sizeof outcome->text - 1] = 0;
  return code;
}

template <typename Act>
muster_gloo_code guarded(muster_gloo_outcome* outcome, Act act) {
  NoSigpipe quiet;
  try {
    act();
    outcome->code = MUSTER_GLOO_OK;
    return MUSTER_GLOO_OK;
  } catch (const Interrupted&) {
    quiet.failed();
    return say(outcome, MUSTER_GLOO_INTERRUPTED, -1, "interrupted");
  } catch (const PeerGone& gone) {
    quiet.failed();
    return say(outcome, gone.peer < 0 ? MUSTER_GLOO_FAILED : MUSTER_GLOO_PEER_GONE, gone.peer, gone.text.c_str());
  } catch (const std::exception& error) {
    quiet.failed();
    return say(outcome, MUSTER_GLOO_FAILED, -1, error.what());
  }
}

muster_gloo_mesh* create(uint32_t rank, uint32_t size, const char* address, double timeout, muster_gloo_mesh* sibling,
                         muster_gloo_outcome* outcome) {
  muster_gloo_mesh* made = nullptr;
  guarded(outcome, [&] {
    const Mesh* beside = sibling == nullptr ? nullptr : &sibling->mesh;
    made = new muster_gloo_mesh{{static_cast<int>(rank), static_cast<int>(size), address, timeout, beside}};
  });
  return made;
}

const char* card(const muster_gloo_mesh* mesh, size_t* size) {
  *size = mesh->mesh.card().size();
  return mesh->mesh.card().data();
}

muster_gloo_code connect(muster_gloo_mesh* mesh, const char* const* cards, const size_t* sizes,
                         muster_gloo_outcome* outcome) {
  return guarded(outcome, [&] {
    std::vector<std::string_view> all;
    for (int rank = 0; rank < mesh->mesh.size(); ++rank) all.emplace_back(cards[rank], sizes[rank]);
    mesh->mesh.connect(all);
  });
}

void run_one(Mesh& mesh, const muster_gloo_call& call, const char* in, char* out) {
  const Operation operation{call.tag,   static_cast<Type>(call.type), static_cast<Reduce>(call.reduce),
                            call.count, static_cast<int>(call.from),  static_cast<int>(call.to)};
  switch (static_cast<Kind>(call.kind)) {
    case Kind::all_reduce: return all_reduce(mesh, operation, in, out);
    case Kind::reduce_scatter: return reduce_scatter(mesh, operation, in, out);
    case Kind::split:
    case Kind::all_gather: return all_gather(mesh, operation, in, out);
    case Kind::broadcast: return broadcast(mesh, operation, out);
    case Kind::send: return send(mesh, operation, in);
    case Kind::receive: return receive(mesh, operation, out);
    case Kind::barrier: return barrier(mesh, operation);
  }
}

muster_gloo_code run(muster_gloo_mesh* mesh, const muster_gloo_call* call, const void* in, void* out,
                     muster_gloo_outcome* outcome) {
  return guarded(outcome, [&] { run_one(mesh->mesh, *call, static_cast<const char*>(in), static_cast<char*>(out)); });
}

void interrupt(muster_gloo_mesh* mesh) {
  NoSigpipe quiet;
  mesh->mesh.interrupt();
}

void close(muster_gloo_mesh* mesh) {
  NoSigpipe quiet;
  mesh->mesh.close();
}

void destroy(muster_gloo_mesh* mesh) {
  NoSigpipe quiet;
  delete mesh;
}

}  // namespace

extern "C" __attribute__((visibility("default"))) const muster_gloo_table* muster_gloo(void) {
  static constexpr muster_gloo_table table = {MUSTER_GLOO_ABI, create, card, connect, run, interrupt, close, destroy};
  return &table;
}
