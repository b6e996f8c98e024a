// SPDX-License-Identifier: Apache-2.0
// OutputMirror: writes the output that agents upload into the coordinator's own files. Readers find the same bytes in them as on the
// ranks' hosts, as far as they have been uploaded. The sizes of the files determine what is missing: a coordinator that takes over
// continues from them, and bytes that arrive twice are written once.
//
// It buffers nothing: bytes that cannot be written are requested again. Offsets are checked. Loop thread only.
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

// The coordinator's own files for a rank's output.
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
  // Call it once for each file, before its first bytes.
  void add(const OutputFile& file, const MirroredPaths& paths);

  struct Heard {
    std::optional<OutputTaken> answer;
    std::string trouble;  // a sentence about a problem; each is reported once
    bool wrote = false;
  };
  // Takes bytes of a file that was added. Implausible bytes are dropped.
  Heard heard(const OutputBytes& bytes);

  // An agent has a new link; `of` selects its files. Requests to send again may have been lost with the last link.
  void linked(const std::function<bool(const OutputFile&)>& of);

  struct Beat {
    std::vector<OutputTaken> again;  // requests for bytes that could not be written
    std::vector<std::string> troubles;
  };
  // Call it every second. It also writes times beside the files, and enforces logs.max.
  Beat beat(TimePoint now);

 private:
  struct File {
    std::string path;
    uint64_t size = 0;
    bool waits = false;   // for bytes that were requested again: later bytes are dropped
    bool failed = false;  // the last write failed
    uint64_t kept = 0;    // of an order file: where it begins
  };

  bool plausible(const File& file, const OutputBytes& bytes) const;
  Heard failed(const OutputFile& name, File& file, const Status& why);
  void forget_old(Attempt newest);

  OutputKeeper& keeper_;
  const uint64_t max_bytes_;
  std::map<OutputFile, File> files_;
  std::map<Attempt, OutputRetention> retentions_;
  bool told_ = false;  // the failure was reported
};

}  // namespace muster
