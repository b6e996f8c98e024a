// SPDX-License-Identifier: Apache-2.0
// Differences between two jobs, key by key. Pure.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/client/view/style.h"

namespace muster {

struct DiffSide {
  std::string title;                          // the file as the user typed it, or the name of the job
  std::map<std::string, std::string> values;  // by dotted key
  std::string origin;                         // the file from which the job was submitted
};

struct Difference {
  std::string key;
  std::optional<std::string> left;  // nullopt: that side does not have the key
  std::optional<std::string> right;
};

// Sorted by key. An empty value counts as no value.
std::vector<Difference> differences(const DiffSide& left, const DiffSide& right);

std::string diff_text(const DiffSide& left, const DiffSide& right, const std::vector<Difference>& found,
                      const Style& style);
std::string diff_json(const DiffSide& left, const DiffSide& right, const std::vector<Difference>& found);

}  // namespace muster
