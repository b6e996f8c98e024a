// SPDX-License-Identifier: Apache-2.0
// FolderWatches: watches folders for growing files, with one inotify descriptor for all. If the kernel has no inotify or
// no watch left, `changed` runs every 250 ms instead, even without a change. Loop thread only.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/port/output_files.h"
#include "core/system/asio/fd_loop.h"

namespace muster::store {

class FolderWatches {
 public:
  // Ignores files whose names end with one of `ignored_suffixes`.
  FolderWatches(FdLoop& loop, std::vector<std::string> ignored_suffixes);
  ~FolderWatches();
  FolderWatches(const FolderWatches&) = delete;
  FolderWatches& operator=(const FolderWatches&) = delete;

  // `changed` runs after files in `folder` have grown or been created: at once for the first 16 changes within 100 ms, then
  // at most once in 5 ms. Its argument has the changed files as folder/name, in the order of the writes; empty if they are
  // unknown. It may destroy its own watch. The returned object may outlive this one.
  // `counted`: files in `folder` that are named once for each write, not once for several in a row.
  std::unique_ptr<OutputWatch> watch(const std::string& folder, OutputChanged changed,
                                     const std::vector<std::string>& counted = {});

 private:
  struct Subscriber;
  struct State;
  class Handle;
  std::shared_ptr<State> state_;
};

}  // namespace muster::store
