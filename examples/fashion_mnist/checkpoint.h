// A file from which a run goes on: written whole or not at all, and told apart from damaged and foreign files.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace fm {

struct Checkpoint {
  std::uint64_t step = 0;             // steps done
  std::uint64_t batch = 0, seed = 0;  // of the run; other ones would make it another run
  std::vector<float> state;           // as Network::state()
};

// Writes FILE.partial, then renames it, so that a crash leaves the file from before. Makes the folder. Throws
// std::runtime_error with a sentence.
void save_checkpoint(const std::string& path, const Checkpoint& checkpoint);

// Nothing where there is no file. Throws std::runtime_error with a sentence where it is damaged, no checkpoint of
// this program, or of a run with another batch or seed.
std::optional<Checkpoint> load_checkpoint(const std::string& path, std::uint64_t batch, std::uint64_t seed);

}  // namespace fm
