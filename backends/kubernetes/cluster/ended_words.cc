// SPDX-License-Identifier: Apache-2.0
#include "backends/kubernetes/cluster/ended_words.h"

#include <array>
#include <cstdio>

#include "backends/kubernetes/cluster/cluster_facts.h"
#include "core/base/time.h"

namespace muster::pod {

std::string counts_line(const JobView& job) {
  return "attempt " + std::to_string(job.attempt) + ", restarts " + std::to_string(job.restarts) + ", exit code " +
         std::to_string(job.exit_code) + ", of the rank " + std::to_string(job.propagated_code) + ", began " +
         (job.started == TimePoint() ? "never" : format_utc(job.started));
}

void take_counts(std::string_view termination_message, JobView& job) {
  const size_t begin = termination_message.find('\n');
  if (begin == std::string_view::npos) return;
  const std::string line(termination_message.substr(begin + 1, termination_message.find('\n', begin + 1) - begin - 1));
  unsigned attempt = 0;
  unsigned restarts = 0;
  int code = 0;
  int propagated = 0;
  std::array<char, 25> began{};
  const int read = std::sscanf(line.c_str(), "attempt %9u, restarts %9u, exit code %9d, of the rank %9d, began %24s",
                               &attempt, &restarts, &code, &propagated, began.data());
  if (read != 5) return;
  job.attempt = attempt;
  job.restarts = restarts;
  job.exit_code = code;
  job.propagated_code = propagated;
  job.started = read_cluster_time(began.data());
}

}  // namespace muster::pod
