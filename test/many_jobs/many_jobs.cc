// SPDX-License-Identifier: Apache-2.0
// muster_many_jobs STATE COUNT: creates COUNT ended jobs in the state folder. Each is a copy of the job that the folder has
// (journal, environment and record, with the same times) with its own id, name and submit key.
#include <cstdlib>
#include <iostream>

#include "core/system/store/file_job_store.h"

namespace muster {
namespace {

std::string replaced(std::string text, const std::string& old, const std::string& by) {
  for (size_t at = text.find(old); at != std::string::npos; at = text.find(old, at + by.size()))
    text.replace(at, old.size(), by);
  return text;
}

Status copy_job(FileJobStore& store, const JobRecord& from, const std::vector<std::string>& lines, Random& random) {
  JobRecord copy = from;
  copy.id = JobId::make(random);
  copy.name = "copy-" + copy.id.text().substr(0, 8);
  copy.submit_key = copy.id.text();
  if (const Status made = store.create(copy); !made.ok()) return made;
  for (const std::string& line : lines) {
    const std::string own =
        replaced(replaced(replaced(line, from.id.text(), copy.id.text()), from.submit_key, copy.submit_key), from.name,
                 copy.name);
    if (const Status appended = store.append(copy.id, own, false); !appended.ok()) return appended;
  }
  store.disown(copy.id);
  return Status();
}

Status copy_jobs(const std::string& state, unsigned long count) {
  Result<std::unique_ptr<FileJobStore>> store = FileJobStore::open(state);
  if (!store.ok()) return store.status();
  const std::vector<JobRecord> there = (*store)->list();
  if (there.empty()) return Status(Code::not_found, state + " has no job to copy");
  const Result<std::vector<std::string>> lines = (*store)->read(there.front().id);
  if (!lines.ok()) return lines.status();
  Random random(count);
  for (unsigned long i = 0; i < count; ++i) {
    if (const Status copied = copy_job(**store, there.front(), *lines, random); !copied.ok()) return copied;
  }
  return Status();
}

}  // namespace
}  // namespace muster

int main(int count, char** words) {
  if (count != 3) return 2;
  const muster::Status copied = muster::copy_jobs(words[1], std::strtoul(words[2], nullptr, 10));
  if (!copied.ok()) std::cerr << copied.message() << "\n";
  return copied.ok() ? 0 : 1;
}
