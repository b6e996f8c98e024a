// SPDX-License-Identifier: Apache-2.0
#include "core/worker/collective/gloo_transport.h"

#include <dlfcn.h>

namespace muster::worker {
namespace {

constexpr const char* plugin = "libmuster_gloo.so";

// The library is never unloaded: Gloo's threads may outlive a communicator for a moment.
Result<const muster_gloo_table*> load() {
  const std::string path = own_folder() + "/" + plugin;
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char* why = dlerror();
    return Status(Code::unimplemented, std::string("Gloo is not available: ") + (why != nullptr ? why : path) +
                                           "; install " + plugin +
                                           " beside libmuster.so, or build muster where libgloo-dev is installed");
  }
  using Door = const muster_gloo_table* (*)();
  const auto door = reinterpret_cast<Door>(dlsym(library, "muster_gloo"));
  const muster_gloo_table* table = door == nullptr ? nullptr : door();
  if (table == nullptr || table->version != MUSTER_GLOO_ABI) {
    return Status(Code::unimplemented,
                  path + " belongs to another version of muster than libmuster.so; install both from the same version");
  }
  return table;
}

std::optional<Broken> broken(muster_gloo_code code, const muster_gloo_outcome& outcome) {
  switch (code) {
    case MUSTER_GLOO_OK: return std::nullopt;
    case MUSTER_GLOO_INTERRUPTED: return Broken{Broken::Why::interrupted, -1, outcome.text};
    case MUSTER_GLOO_PEER_GONE: return Broken{Broken::Why::peer_gone, outcome.peer, outcome.text};
    case MUSTER_GLOO_FAILED: break;
  }
  return Broken{Broken::Why::failed, outcome.peer, outcome.text};
}

}  // namespace

std::string own_folder() {
  Dl_info info{};
  dladdr(reinterpret_cast<void*>(&own_folder), &info);
  const std::string path = info.dli_fname != nullptr ? info.dli_fname : "";
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash);
}

Result<std::unique_ptr<GlooTransport>> GlooTransport::make(uint32_t rank, uint32_t size, const std::string& address,
                                                           double timeout, const GlooTransport* sibling) {
  const Result<const muster_gloo_table*> table = load();
  if (!table.ok()) return table.status();
  muster_gloo_outcome outcome{};
  muster_gloo_mesh* beside = sibling == nullptr ? nullptr : sibling->mesh_;
  muster_gloo_mesh* mesh = (*table)->create(rank, size, address.c_str(), timeout, beside, &outcome);
  if (mesh == nullptr) {
    return Status(Code::unavailable, "Gloo cannot listen at " + address + ": " + outcome.text);
  }
  return std::unique_ptr<GlooTransport>(new GlooTransport(*table, mesh, size));
}

GlooTransport::~GlooTransport() { table_->destroy(mesh_); }

std::string GlooTransport::card() const {
  size_t size = 0;
  const char* data = table_->card(mesh_, &size);
  return std::string(data, size);
}

std::optional<Broken> GlooTransport::connect(const std::vector<std::string>& cards) {
  std::vector<const char*> data;
  std::vector<size_t> sizes;
  for (const std::string& card : cards) {
    data.push_back(card.data());
    sizes.push_back(card.size());
  }
  muster_gloo_outcome outcome{};
  return broken(table_->connect(mesh_, data.data(), sizes.data(), &outcome), outcome);
}

std::optional<Broken> GlooTransport::run(const Call& call, const void* in, void* out) {
  const muster_gloo_call plain{tag_of(call),
                               call.count,
                               call.from,
                               call.to,
                               static_cast<uint8_t>(call.kind),
                               static_cast<uint8_t>(call.type),
                               static_cast<uint8_t>(call.reduce)};
  muster_gloo_outcome outcome;
  return broken(table_->run(mesh_, &plain, in, out, &outcome), outcome);
}

void GlooTransport::interrupt() { table_->interrupt(mesh_); }

void GlooTransport::close() { table_->close(mesh_); }

}  // namespace muster::worker
