// SPDX-License-Identifier: Apache-2.0
// WarmLessons: the imports of a program, as noted by earlier attempts and jobs in files of the state folder. If the files
// cannot be read or written, only time is lost. Loop thread only.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "core/node/warm/warm_plan.h"

namespace muster {

class WarmLessons {
 public:
  WarmLessons(std::string folder, const WarmPlan& plan);

  // The file in which a rank notes its imports (warm_learn.py), one per line:
  // "NAME": an imported module. "-NAME": its import failed. "=PATH\tNANOSECONDS\tBYTES": a file of the program itself.
  // "NAME\tPACKAGE…": these packages changed state before that the import of NAME may depend on.
  const std::string& path() const { return path_; }

  // The modules in the order of their import, each once. Empty if one of the program's own files has changed: it may now
  // do anything before it imports.
  std::vector<std::string> imports();
  // Whether none of the program's own files has changed.
  bool valid() const;

  // Modules that a parent must not import, because they read rank-specific state or leave state that a fork loses. Shared
  // by all programs of the interpreter. avoid() adds some and returns whether one of them was new.
  std::set<std::string> avoided() const;
  bool avoid(const std::vector<std::string>& modules);

  // Whether a warm parent for this program failed during the last 24 h; refuse() records that.
  bool refused() const;
  void refuse(const std::string& why);

 private:
  std::string folder_;
  std::string path_;
  std::string avoided_path_;
  std::string refused_path_;
  std::set<std::string> avoided_now_;  // kept in memory too, in case the file cannot be written
};

}  // namespace muster
