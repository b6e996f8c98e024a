// OutputFiles: the files ranks write themselves (DESIGN.md §9.8), for whoever reads them. Layout, per job:
// attempt-<n>/<group>-<rank>.{out,err,setup}. Loop thread only.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>

#include "core/base/ids.h"
#include "core/base/result.h"

namespace muster {

// setup: what the setup of a node printed, both streams in one; beside the output of the node's first rank.
enum class OutputStream { out, err, setup };

// A subscription that ends with the object.
class OutputWatch {
 public:
  virtual ~OutputWatch() = default;
  // Tells, before it returns, of all that grew until now.
  virtual void catch_up() = 0;
};

// Of paths that grew, as OutputFiles::path() gave them; none: any may have.
using OutputChanged = std::function<void(const std::set<std::string>& paths)>;

inline const char* ending_of(OutputStream stream) {
  if (stream == OutputStream::setup) return ".setup";
  return stream == OutputStream::out ? ".out" : ".err";
}

class OutputFiles {
 public:
  virtual ~OutputFiles() = default;

  // Where a rank of an attempt writes; makes the attempt's folder.
  virtual Result<std::string> path(const JobId& job, Attempt attempt, const std::string& rank_file,
                                   OutputStream stream) = 0;

  // Bytes of the file at `path` from `offset`, at most `limit`; empty at the end or when there is no file yet.
  virtual Result<std::string> read(const std::string& path, uint64_t offset, size_t limit) = 0;

  virtual uint64_t size(const std::string& path) const = 0;

  // Where the file's bytes begin: what lies before was dropped by `logs.max` and reads as zeros. 0: nothing was
  // dropped; size(): all was. Ask after read(), since the agent drops at any time.
  virtual uint64_t first_kept(const std::string& path) const = 0;

  // `changed` runs on the loop after files of the attempt grew; runs of changes may be one call.
  virtual std::unique_ptr<OutputWatch> watch(const JobId& job, Attempt attempt, OutputChanged changed) = 0;
};

}  // namespace muster
