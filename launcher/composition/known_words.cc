// SPDX-License-Identifier: Apache-2.0
#include "launcher/composition/known_words.h"

#include <algorithm>

#include "core/client/connect/paths.h"
#include "core/client/preflight/preflight_codes.h"
#include "core/client/submission/runtimes.h"
#include "core/job/errors/explain.h"
#include "core/journal/journal_codec.h"
#include "core/system/store/stored_jobs.h"
#include "launcher/composition/wire.h"

namespace muster {
namespace {

constexpr size_t most_jobs = 500;  // more are not useful in a completion

bool wanted(const JobRecord& record, JobChoice choice) {
  if (choice == JobChoice::all) return true;
  if (choice == JobChoice::queued) return record.state == "queued";
  return record.has_ended() == (choice == JobChoice::ended);
}

// Reads whether the job runs from its journal, because the index is only updated when a job ends.
void freshen(JobRecord& record, const std::string& root) {
  if (record.has_ended()) return;
  if (stored_journal_has(root, record.id, mark_of(job::Event(job::Admitted{})))) record.state = "running";
}

// Newest first: if two jobs have the same name, commands use the newest.
std::vector<Candidate> jobs(const CallerContext& here, JobChoice choice) {
  std::vector<Candidate> words;
  const std::string root = state_folder(here);
  std::vector<JobRecord> records = stored_jobs(root);
  std::reverse(records.begin(), records.end());
  for (JobRecord& record : records) {
    if (words.size() < most_jobs) freshen(record, root);
    if (!wanted(record, choice) || words.size() == most_jobs) continue;
    const bool seen =
        std::any_of(words.begin(), words.end(), [&](const Candidate& w) { return w.value == record.name; });
    if (!seen) words.push_back({record.name, record.state});
  }
  if (!words.empty() && (choice == JobChoice::all || choice == JobChoice::live))
    words.push_back({"@last", "the newest job"});
  return words;
}

// Finds a job as commands do: by name, id, the beginning of either, or @last.
const JobRecord* find_job(const std::vector<JobRecord>& records, const std::string& word) {
  if (records.empty()) return nullptr;
  if (word == "@last") return &records.back();
  for (auto record = records.rbegin(); record != records.rend(); ++record) {
    if (record->name == word || record->id.text() == word) return &*record;
  }
  for (auto record = records.rbegin(); record != records.rend(); ++record) {
    if (record->name.starts_with(word) || record->id.text().starts_with(word)) return &*record;
  }
  return nullptr;
}

JobShape shape(const CallerContext& here, const std::string& word) {
  const std::string root = state_folder(here);
  const std::vector<JobRecord> records = stored_jobs(root);
  const JobRecord* record = find_job(records, word);
  if (record == nullptr) return {};
  const auto text = stored_submission(root, record->id);
  const auto line = text.ok() ? decode_line(*text) : Result<JournalLine>(text.status());
  const auto* submission = line.ok() ? std::get_if<Submission>(&line->entry) : nullptr;
  if (submission == nullptr) return {};
  JobShape shape;
  for (const PlannedRank& rank : submission->plan.ranks) shape.ranks.push_back(rank.rank);
  std::sort(shape.ranks.begin(), shape.ranks.end());
  shape.ranks.erase(std::unique(shape.ranks.begin(), shape.ranks.end()), shape.ranks.end());
  for (const GroupSpec& group : submission->spec.groups) shape.groups.push_back(group.name);
  return shape;
}

std::vector<Candidate> runtimes(const CallerContext& here) {
  std::vector<Candidate> words;
  for (const RuntimeFile& file : find_runtimes(runtime_folders(here, here.workdir))) {
    if (!file.shadowed) words.push_back({file.name, file.description});
  }
  return words;
}

std::vector<Candidate> codes() {
  std::vector<Candidate> words;
  for (const std::string& code : explained_codes()) words.push_back({code, explain(code)->title});
  for (const std::string& code : preflight_codes()) words.push_back({code, explain_preflight(code)->title});
  return words;
}

}  // namespace

LiveWords known_words(const CallerContext& here) {
  LiveWords words;
  words.jobs = [&here](JobChoice choice) { return jobs(here, choice); };
  words.shape = [&here](const std::string& job) { return shape(here, job); };
  words.runtimes = [&here] { return runtimes(here); };
  words.codes = codes;
  words.variables = [&here] {
    std::vector<std::string> names;
    for (const auto& [name, value] : here.environment) names.push_back(name);
    return names;
  };
  return words;
}

}  // namespace muster
