// SPDX-License-Identifier: Apache-2.0
// A file from which a run continues. It is written atomically; damaged files and other files are detected.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace fm {

struct Checkpoint {
  std::uint64_t step = 0;             // number of finished steps
  std::uint64_t batch = 0, seed = 0;  // the run's; a run with other values cannot continue from the file
  std::vector<float> state;           // as Network::state()
};

// Writes FILE.partial, then renames it, so that a crash leaves the previous file. Creates the folder. Throws
// std::runtime_error with a message.
void save_checkpoint(const std::string& path, const Checkpoint& checkpoint);

// nullopt: there is no file. Throws std::runtime_error with a message if the file is damaged, is not a checkpoint of this
// program, or belongs to a run with another batch or seed.
std::optional<Checkpoint> load_checkpoint(const std::string& path, std::uint64_t batch, std::uint64_t seed);

}  // namespace fm
