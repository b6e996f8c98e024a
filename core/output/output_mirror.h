// OutputMirror: what in a coordinator writes the output that agents send into files of its own, so that who reads them finds
// what ranks wrote on their hosts, byte for byte, as far as it has come. The files' sizes are the truth: whoever takes over goes
// on from them, and what comes twice is written once.
//
// It holds no bytes: what cannot be written is asked for again. It trusts no offset. Loop thread only.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/output/output_retention.h"
#include "core/port/output_keeper.h"
#include "core/port/output_messages.h"

namespace muster {

// Where a rank's output is kept here.
struct MirroredPaths {
  std::string out;
  std::string err;
  std::string setup;
};

class OutputMirror {
 public:
  // `max_bytes`: of a file (logs.max); 0: no limit.
  OutputMirror(OutputKeeper& keeper, uint64_t max_bytes) : keeper_(keeper), max_bytes_(max_bytes) {}

  bool knows(const OutputFile& file) const { return files_.count(file) > 0; }
  // Once for each, before its first bytes.
  void add(const OutputFile& file, const MirroredPaths& paths);

  struct Heard {
    std::optional<OutputTaken> answer;
    std::string trouble;  // a sentence, each trouble of a file once
    bool wrote = false;
  };
  // Of a file that was added. not_found …: never; what makes no sense is dropped.
  Heard heard(const OutputBytes& bytes);

  // Whose files `of` tells has a new link: what was asked for again on the last may not have arrived there.
  void linked(const std::function<bool(const OutputFile&)>& of);

  struct Beat {
    std::vector<OutputTaken> again;  // what could not be written is tried anew
    std::vector<std::string> troubles;
  };
  // Once a second: also notes times beside the files, and holds them to logs.max.
  Beat beat(TimePoint now);

 private:
  struct File {
    std::string path;
    uint64_t size = 0;
    bool waits = false;   // for what was asked for again: what lies behind it is dropped
    bool failed = false;  // it could not be written
  };

  bool plausible(const File& file, const OutputBytes& bytes) const;
  Heard failed(const OutputFile& name, File& file, const Status& why);
  void forget_old(Attempt newest);

  OutputKeeper& keeper_;
  const uint64_t max_bytes_;
  std::map<OutputFile, File> files_;
  std::map<Attempt, OutputRetention> retentions_;
  bool told_ = false;  // that the disk is full
};

}  // namespace muster
