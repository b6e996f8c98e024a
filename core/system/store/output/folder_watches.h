// FolderWatches: inotify for the folders whose files grow, over one descriptor for all. Where the kernel has no
// watch left (or no inotify), it looks every quarter of a second instead: `changed` then runs without a change.
// Loop thread only.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "core/port/output_files.h"
#include "core/system/asio/fd_loop.h"

namespace muster::store {

class FolderWatches {
 public:
  // `ignored_suffix`: files whose growth is nobody's business.
  FolderWatches(FdLoop& loop, std::string ignored_suffix);
  ~FolderWatches();
  FolderWatches(const FolderWatches&) = delete;
  FolderWatches& operator=(const FolderWatches&) = delete;

  // `changed` runs after files in `folder` grew or appeared, at most once in 5 ms; the first change at once. It
  // is told which, as folder/name, where that is known. It may end its own watch. The returned object may outlive this one.
  std::unique_ptr<OutputWatch> watch(const std::string& folder, OutputChanged changed);

 private:
  struct Subscriber;
  struct State;
  class Handle;
  std::shared_ptr<State> state_;
};

}  // namespace muster::store
