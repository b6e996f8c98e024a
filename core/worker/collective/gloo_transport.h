// Calls over Gloo, which is loaded from libmuster_gloo.so beside this library when the first communicator wants it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/worker/collective/gloo_abi.h"
#include "core/worker/collective/transport.h"

namespace muster::worker {

class GlooTransport final : public Transport {
 public:
  // Listens at `address` for peers. unimplemented: the plugin is missing or of another version; the sentence says where
  // it was looked for. `sibling` (or null): of the same address; shares its thread.
  static Result<std::unique_ptr<GlooTransport>> make(uint32_t rank, uint32_t size, const std::string& address,
                                                     double timeout, const GlooTransport* sibling);
  ~GlooTransport() override;

  // What peers need to connect. Binary; about 152 bytes and 2 for each rank.
  std::string card() const;
  // `cards` of all by rank. Once, before run().
  std::optional<Broken> connect(const std::vector<std::string>& cards);

  Backend backend() const override { return Backend::gloo; }
  std::optional<Broken> run(const Call& call, const void* in, void* out) override;
  std::optional<Broken> synchronize() override { return std::nullopt; }
  void interrupt() override;
  void close() override;

 private:
  GlooTransport(const muster_gloo_table* table, muster_gloo_mesh* mesh, uint32_t size)
      : table_(table),
        mesh_(mesh),
        size_(size) {}
  const muster_gloo_table* table_;
  muster_gloo_mesh* mesh_;
  uint32_t size_;
};

// The folder of the shared library, or program, that holds this function.
std::string own_folder();

}  // namespace muster::worker
