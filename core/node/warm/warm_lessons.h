// WarmLessons: what is known of a program's imports from earlier attempts and jobs: files in a folder of the user's. Not
// being able to read or write them only costs time. Loop thread only.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "core/node/warm/warm_plan.h"

namespace muster {

class WarmLessons {
 public:
  WarmLessons(std::string folder, const WarmPlan& plan);

  // Where a rank notes what it imports (warm_learn.py): a name a line, "-" before one
  // whose import failed, "=" before a file of the program's own with its stamp;
  // "NAME\tPACKAGE…" where these have changed something before that it may depend on.
  const std::string& path() const { return path_; }

  // In the order in which they were imported, each once. Nothing, when one of the program's own files has changed since:
  // it may do anything before it imports now.
  std::vector<std::string> imports();
  bool hold() const;

  // Modules whose import reads what only a rank knows, or leaves what a fork does not hand on; of all programs of this
  // interpreter. avoid() says whether one of them is new.
  std::set<std::string> avoided() const;
  bool avoid(const std::vector<std::string>& modules);

  // Whether there was no warm parent for such a program within a day.
  bool refused() const;
  void refuse(const std::string& why);

 private:
  std::string folder_;
  std::string path_;
  std::string avoided_path_;
  std::string refused_path_;
  std::set<std::string> avoided_now_;  // also where nothing can be written
};

}  // namespace muster
