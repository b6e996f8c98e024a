// SPDX-License-Identifier: Apache-2.0
#include "core/node/pmi/mpich_memory.h"

#include <cstdio>

namespace muster {

// MPICH names it after the FNV-1a hash of the key-value space.
std::vector<std::string> mpich_memory(const std::string& world, uint32_t node) {
  uint32_t hash = 2166136261U;
  for (const char c : world) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
  char text[24];
  std::snprintf(text, sizeof text, "%x_%u", hash, node);
  return {std::string("mpich_shm_") + text, std::string("mpich_vci_") + text};
}

}  // namespace muster
