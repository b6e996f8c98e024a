// SPDX-License-Identifier: Apache-2.0
#include "core/job/file/ignore_rules.h"

#include <fnmatch.h>

#include <algorithm>

namespace muster {
namespace {

std::vector<std::string> segments_of(std::string_view text) {
  std::vector<std::string> segments;
  while (true) {
    const size_t slash = text.find('/');
    segments.emplace_back(text.substr(0, slash));
    if (slash == std::string_view::npos) return segments;
    text.remove_prefix(slash + 1);
  }
}

// Removes spaces at the end of the line, unless a backslash is before them.
std::string_view without_blanks(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  while (line.ends_with(' ') && !line.ends_with("\\ ")) line.remove_suffix(1);
  return line;
}

// Matches the segments of the pattern against those of the path. On a mismatch it backtracks: the last "**" takes one
// more folder. Backtracking to the last "**" is enough.
bool match_all(const std::vector<std::string>& pattern, const std::vector<std::string>& path) {
  constexpr size_t kNone = SIZE_MAX;
  size_t p = 0;
  size_t at = 0;
  size_t star = kNone;
  size_t taken = 0;
  while (at < path.size()) {
    if (p < pattern.size() && pattern[p] == "**") {
      star = p++;
      taken = at;
    } else if (p < pattern.size() && fnmatch(pattern[p].c_str(), path[at].c_str(), 0) == 0) {
      ++p;
      ++at;
    } else if (star != kNone) {
      p = star + 1;
      at = ++taken;
    } else {
      return false;
    }
  }
  return p == pattern.size();  // a "**" at the end matches at least one segment
}

}  // namespace

void IgnoreRules::add(std::string_view text, const std::string& folder) {
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = without_blanks(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty() || line.front() == '#') continue;
    Rule rule;
    rule.folder = folder.empty() ? "" : folder + "/";
    if ((rule.again = line.front() == '!')) line.remove_prefix(1);
    if ((rule.folders_only = line.ends_with('/'))) line.remove_suffix(1);
    const bool anchored = line.find('/') != std::string_view::npos;
    if (line.starts_with('/')) line.remove_prefix(1);
    if (line.empty()) continue;
    rule.segments = segments_of(line);
    if (!anchored) rule.segments.insert(rule.segments.begin(), "**");
    rules_.push_back(std::move(rule));
  }
}

bool IgnoreRules::matches(const Rule& rule, const std::string& path) {
  return path.starts_with(rule.folder) && match_all(rule.segments, segments_of(path.substr(rule.folder.size())));
}

bool IgnoreRules::ignores(const std::string& path, bool is_folder) const {
  const auto last = std::find_if(rules_.rbegin(), rules_.rend(), [&](const Rule& rule) {
    return (is_folder || !rule.folders_only) && matches(rule, path);
  });
  return last != rules_.rend() && !last->again;
}

}  // namespace muster
