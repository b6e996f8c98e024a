// SPDX-License-Identifier: Apache-2.0
#include "core/job/mpirun/rank_only.h"

#include <vector>

#include "core/base/short_hash.h"
#include "core/base/text.h"
#include "core/job/variable_names.h"

namespace muster {
namespace {

constexpr size_t kDigits = 8;
// Of the rank's own agent.
constexpr const char* kSocket = "MUSTER_SOCKET";

std::string entry_of(const std::string& name, const std::string& value) {
  return name + "=" + short_hash(value).substr(0, kDigits);
}

}  // namespace

std::string rank_only_text(const std::set<std::string>& names, const std::map<std::string, std::string>& environment) {
  std::vector<std::string> entries;
  for (const std::string& name : names) {
    const auto found = environment.find(name);
    if (found != environment.end() && !is_of_outer_launcher(name)) entries.push_back(entry_of(name, found->second));
  }
  return join(entries, ",");
}

void remove_outer_variables(std::map<std::string, std::string>& environment) {
  const auto text = environment.extract(kRankOnly);
  if (!text.empty()) {
    for (const std::string& entry : split(text.mapped(), ',')) {
      const auto found = environment.find(entry.substr(0, entry.find('=')));
      if (found != environment.end() && entry_of(found->first, found->second) == entry) environment.erase(found);
    }
  }
  environment.erase(kSocket);
  std::erase_if(environment, [](const auto& variable) { return is_of_outer_launcher(variable.first); });
}

}  // namespace muster
