// RankLogs: the files of --redirects and --tee: <folder>/attempt_<restart>/<local rank>/{stdout,stderr}.log, as torchrun lays
// them out. The bytes come from what muster itself keeps, so a run without such files loses nothing. Loop thread only.
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
  // `folder` of the run; empty: there are no files. `picked`: what has one, as StreamPick writes it; empty: nothing.
  RankLogs(std::string folder, const std::string& picked, uint32_t ranks);

  // The attempt begins: its folders and empty files are there.
  void begin(Attempt attempt);

  void add(const OutputChunk& chunk);

  // Folder of a rank in an attempt, with a slash behind it; empty: there is none.
  std::string folder_of(Attempt attempt, uint32_t local_rank) const;

  // The first reason why bytes are missing in a file; empty: none are.
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
