// SPDX-License-Identifier: Apache-2.0
// GlooTransport: a Transport over Gloo. The first one loads libmuster_gloo.so, which is beside this library.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/worker/collective/gloo_abi.h"
#include "core/worker/collective/transport.h"

namespace muster::worker {

class GlooTransport final : public Transport {
 public:
  // Listens at `address` for peers. unimplemented: the plugin is missing or of another version; the message has its path.
  // `sibling` (or null): a transport with the same address whose thread is shared.
  static Result<std::unique_ptr<GlooTransport>> make(uint32_t rank, uint32_t size, const std::string& address,
                                                     double timeout, const GlooTransport* sibling);
  ~GlooTransport() override;

  // The data that peers need to connect. Binary; about 152 bytes plus 2 for each rank.
  std::string card() const;
  // `cards`: those of all ranks, in order of rank. Call it once, before run().
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

// The folder of the shared library or program that contains this function.
std::string own_folder();

}  // namespace muster::worker
