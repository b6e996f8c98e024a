// SPDX-License-Identifier: Apache-2.0
// RankLogs: writes the files of --redirects and --tee with torchrun's layout: <folder>/attempt_<restart>/<local rank>/{stdout,stderr}.log.
// They are copies; muster stores all output itself. Loop thread only.
#pragma once

#include <fstream>
#include <map>
#include <string>
#include <tuple>

#include "core/port/control_messages.h"
#include "launcher/torchrun/stream_pick.h"

namespace muster {

class RankLogs {
 public:
  // `folder`: of the run; empty: no files. `picked`: the streams with files, in StreamPick's format; empty: none.
  RankLogs(std::string folder, const std::string& picked, uint32_t ranks);

  // Creates the attempt's folders and empty files.
  void begin(Attempt attempt);

  void add(const OutputChunk& chunk);

  // The folder of a rank in an attempt, with a slash at the end; empty: none.
  std::string folder_of(Attempt attempt, uint32_t local_rank) const;

  // The first error because of which a file is incomplete; empty: none.
  const std::string& trouble() const { return trouble_; }

 private:
  using Source = std::tuple<Attempt, uint32_t, OutputStream>;
  void open(const Source& source);

  const std::string folder_;
  const uint32_t ranks_;
  StreamPick picked_;
  Attempt begun_ = 0;
  std::map<Source, std::ofstream> files_;
  std::string trouble_;
};

}  // namespace muster
