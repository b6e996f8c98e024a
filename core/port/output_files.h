// SPDX-License-Identifier: Apache-2.0
// OutputFiles: read access to the files that ranks write (docs/design/output.md). Layout, per job:
// attempt-<n>/<group>-<rank>.{out,err,setup,order}. Loop thread only.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/base/ids.h"
#include "core/base/result.h"

namespace muster {

// setup: the output of a node's setup, both streams in one file, beside the output of the node's first rank. order: no stream, but the
// file that notes the order of the other two (core/output/order_index.h); an agent uploads it like them, and no viewer gets it.
enum class OutputStream { out, err, setup, order };

// A subscription that ends with the object.
class OutputWatch {
 public:
  virtual ~OutputWatch() = default;
  // Reports everything that grew until now, before it returns.
  virtual void catch_up() = 0;
};

// `paths`: the files that grew, as OutputFiles::path() returned them, in the order of the writes; a file that grew again after another
// one is named again. Empty: any file may have grown.
using OutputChanged = std::function<void(const std::vector<std::string>& paths)>;

inline const char* ending_of(OutputStream stream) {
  if (stream == OutputStream::setup) return ".setup";
  if (stream == OutputStream::order) return ".order";
  return stream == OutputStream::out ? ".out" : ".err";
}

class OutputFiles {
 public:
  virtual ~OutputFiles() = default;

  // The file that a rank of an attempt writes; creates the attempt's folder if that is possible. invalid_argument: `rank_file`
  // is no plain name.
  virtual Result<std::string> path(const JobId& job, Attempt attempt, const std::string& rank_file,
                                   OutputStream stream) = 0;

  // At most `limit` bytes of the file at `path`, from `offset` on; empty at its end, or if there is no file yet.
  virtual Result<std::string> read(const std::string& path, uint64_t offset, size_t limit) = 0;

  virtual uint64_t size(const std::string& path) const = 0;

  // Offset of the first byte that logs.max has not dropped; dropped bytes read as zeros. 0: none was dropped; size(): all were.
  // Call it after read(), since the agent may drop bytes at any time.
  virtual uint64_t first_kept(const std::string& path) const = 0;

  // `changed` runs on the loop after files of the attempt grew; several changes may be one call.
  virtual std::unique_ptr<OutputWatch> watch(const JobId& job, Attempt attempt, OutputChanged changed) = 0;
  // `changed` gets each write to `paths`, which exist and are in one folder: a file is named as often as it was written to, in order.
  // It may also get other files of the folder. If the system has no watch left, several writes may be one.
  virtual std::unique_ptr<OutputWatch> watch_writes(const std::vector<std::string>& paths, OutputChanged changed) = 0;
};

}  // namespace muster
