// SPDX-License-Identifier: Apache-2.0
// What `muster mpirun` prints of the ranks' output, and the files of --output-filename and of the patterns. Loop thread only.
#pragma once

#include <fstream>
#include <map>
#include <optional>
#include <string>

#include "core/job/mpirun/mpirun_flags.h"
#include "core/port/control_messages.h"

namespace muster {

class MpirunOutput {
 public:
  // `ranks`: of the job. Relative paths are below `workdir`. The `flags` outlive it.
  MpirunOutput(const MpirunFlags& flags, uint32_t ranks, std::string workdir);

  // Creates the folders and empty files. invalid_argument: a pattern has an unknown %; other errors: a file cannot be written.
  Status open();

  // The stream to which the chunk is printed; nullopt: it is not printed.
  std::optional<OutputStream> shown(OutputStream stream) const;

  // The beginning of each line: "[1,0]<stdout>:"; empty: none.
  std::string label(uint32_t index, OutputStream stream) const;
  // Whether label() is not always empty.
  bool has_labels() const { return flags_.tag != MpirunTag::none || flags_.times; }

  // Whether output is also, or only, written to files.
  bool has_files() const { return !files_.empty(); }

  // Writes a chunk to its file.
  void add(const OutputChunk& chunk);

  // The first error because of which a file is incomplete; empty: none.
  const std::string& trouble() const { return trouble_; }

  // The file of a rank's stream; empty: it has none.
  std::string file_of(uint32_t index, OutputStream stream) const;

 private:
  std::string path(const std::string& typed) const;

  const MpirunFlags& flags_;
  const uint32_t ranks_;
  const std::string workdir_;
  std::string folder_;
  bool copies_ = true;                          // of --output-filename: also printed
  std::map<std::string, std::ofstream> files_;  // by path
  std::string trouble_;
};

}  // namespace muster
