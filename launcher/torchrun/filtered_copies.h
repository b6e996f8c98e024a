// SPDX-License-Identifier: Apache-2.0
// FilteredCopies: copies lines of --tee streams that contain one of the words into filtered_stdout.log and filtered_stderr.log in their
// attempt's folder (--duplicate-stdout-filters, --duplicate-stderr-filters). Loop thread only.
#pragma once

#include <fstream>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "core/client/view/line_assembler.h"
#include "core/port/control_messages.h"
#include "launcher/torchrun/output_rules.h"

namespace muster {

class FilteredCopies {
 public:
  // `folder` of the run, with attempt_<restart> in it; empty: nothing is copied. `rules` outlives it.
  FilteredCopies(std::string folder, std::vector<std::string> out_words, std::vector<std::string> err_words,
                 const OutputRules& rules);

  void add(const OutputChunk& chunk);

  // The output has ended: unfinished lines are handled like whole lines.
  void finish();

 private:
  using Source = std::tuple<Attempt, uint32_t, OutputStream>;
  void copy(const Source& source, const std::vector<std::string>& lines);
  std::ofstream& file_of(Attempt attempt, OutputStream stream);
  const std::vector<std::string>& words(OutputStream stream) const;

  const std::string folder_;
  const std::vector<std::string> out_words_;
  const std::vector<std::string> err_words_;
  const OutputRules& rules_;
  std::map<Source, LineAssembler> assemblers_;
  std::map<std::pair<Attempt, OutputStream>, std::ofstream> files_;
};

}  // namespace muster
