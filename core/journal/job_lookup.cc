// SPDX-License-Identifier: Apache-2.0
#include "core/journal/job_lookup.h"

#include <algorithm>
#include <set>

#include "core/base/text.h"

namespace muster {
namespace {

constexpr size_t kNamesInMessage = 5;

const JobRecord* newest(const std::vector<const JobRecord*>& records) {
  const JobRecord* found = nullptr;
  for (const JobRecord* record : records) {
    if (found == nullptr || record->submitted >= found->submitted) found = record;
  }
  return found;
}

template <typename Predicate>
std::vector<const JobRecord*> those(const JobRecords& records, Predicate fits) {
  std::vector<const JobRecord*> found;
  for (const auto& [id, record] : records) {
    if (fits(record)) found.push_back(&record);
  }
  return found;
}

Status unknown(const JobRecords& records, const std::string& reference) {
  std::vector<std::string> names;
  for (const auto& [id, record] : records) names.push_back(record.name);
  const std::optional<std::string> near = nearest(reference, names);
  const std::string hint = near ? "; did you mean " + *near + "?" : "; muster ps -a lists all jobs";
  return Status(Code::not_found, "there is no job `" + escaped(reference) + "`" + hint);
}

}  // namespace

std::vector<const JobRecord*> by_age(const JobRecords& records) {
  std::vector<const JobRecord*> sorted;
  sorted.reserve(records.size());
  for (const auto& [id, record] : records) sorted.push_back(&record);
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const JobRecord* a, const JobRecord* b) { return a->submitted < b->submitted; });
  return sorted;
}

Result<JobId> find_job(const JobRecords& records, const std::string& reference) {
  if (reference == "@last") {
    const JobRecord* last = newest(those(records, [](const JobRecord&) { return true; }));
    if (last != nullptr) return last->id;
    return Status(Code::not_found, "there is no job; muster run -- PROGRAM starts one");
  }
  if (reference.empty()) return unknown(records, reference);
  const auto known = JobId::parse(reference);
  if (known.ok() && records.count(*known) > 0) return *known;
  const auto exact = those(records, [&](const JobRecord& r) { return r.name == reference; });
  if (!exact.empty()) return newest(exact)->id;
  const auto prefixed = those(
      records, [&](const JobRecord& r) { return r.name.starts_with(reference) || r.id.text().starts_with(reference); });
  std::set<std::string> names;
  for (const JobRecord* record : prefixed) names.insert(record->name);
  if (names.size() == 1) return newest(prefixed)->id;
  if (names.empty()) return unknown(records, reference);
  const std::vector<std::string> listed(names.begin(), names.end());
  return Status(Code::invalid_argument, "`" + escaped(reference) + "` matches several jobs: " +
                                            short_list(listed, kNamesInMessage) + "; name one of them");
}

JobRecord record_of(const JobFold& fold) {
  const Submission& submission = fold.submission();
  return {submission.id,    submission.name,    state_name(fold.state()),
          fold.submitted(), fold.state().ended, submission.submit_key};
}

}  // namespace muster
