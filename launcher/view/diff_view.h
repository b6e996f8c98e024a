// What differs between two jobs, key by key. Pure.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/client/view/style.h"

namespace muster {

struct DiffSide {
  std::string title;                          // as it was typed, or the job's name
  std::map<std::string, std::string> values;  // by dotted key
  std::string origin;                         // the file a job came from
};

struct Difference {
  std::string key;
  std::optional<std::string> left;  // nothing: that side has no such key
  std::optional<std::string> right;
};

// In the order of their keys. An empty value is none.
std::vector<Difference> differences(const DiffSide& left, const DiffSide& right);

std::string diff_text(const DiffSide& left, const DiffSide& right, const std::vector<Difference>& found,
                      const Style& style);
std::string diff_json(const DiffSide& left, const DiffSide& right, const std::vector<Difference>& found);

}  // namespace muster
