// SPDX-License-Identifier: Apache-2.0
#include "core/system/store/record_text.h"

#include <charconv>

#include "core/base/text.h"
#include "core/system/store/checked_line.h"

namespace muster::store {
namespace {

Status damaged(std::string_view what) {
  return Status(Code::data_loss, "the job's record is damaged: " + std::string(what));
}

Result<TimePoint> parse_nanos(std::string_view text) {
  int64_t nanos = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), nanos);
  if (error != std::errc() || end != text.data() + text.size()) return damaged(text);
  return from_unix_nanos(nanos);
}

Status set_time(TimePoint& field, std::string_view value) {
  const Result<TimePoint> time = parse_nanos(value);
  if (time.ok()) field = *time;
  return time.status();
}

Status set_field(JobRecord& record, std::string_view name, std::string_view value) {
  if (name == "submitted") return set_time(record.submitted, value);
  if (name == "ended") return set_time(record.ended, value);
  if (name == "id") {
    const Result<JobId> id = JobId::parse(value);
    if (!id.ok()) return damaged(value);
    record.id = *id;
  }
  if (name == "name") record.name = value;
  if (name == "state") record.state = value;
  if (name == "submit_key") record.submit_key = value;
  if (name == "bytes") std::from_chars(value.data(), value.data() + value.size(), record.bytes);
  return Status();
}

}  // namespace

Result<std::string> record_to_text(const JobRecord& record) {
  for (const std::string* text : {&record.name, &record.state, &record.submit_key}) {
    if (text->find('\n') != std::string::npos) {
      return Status(Code::invalid_argument, "a job's name, state or submit key contains a newline: " + escaped(*text));
    }
  }
  const std::string fields = "id=" + record.id.text() + "\nname=" + record.name + "\nstate=" + record.state +
                             "\nsubmitted=" + std::to_string(to_unix_nanos(record.submitted)) +
                             "\nended=" + std::to_string(to_unix_nanos(record.ended)) +
                             "\nsubmit_key=" + record.submit_key + "\nbytes=" + std::to_string(record.bytes);
  return checked_line(fields) + "\n";
}

Result<JobRecord> record_from_text(std::string_view text) {
  if (text.ends_with('\n')) text.remove_suffix(1);
  const std::optional<std::string_view> fields = read_checked_line(text);
  if (!fields) return damaged("its checksum is wrong");
  JobRecord record;
  for (const std::string& line : split(*fields, '\n')) {
    const size_t equals = line.find('=');
    if (equals == std::string::npos) return damaged(line);
    const std::string_view field = line;
    const Status set = set_field(record, field.substr(0, equals), field.substr(equals + 1));
    if (!set.ok()) return set;
  }
  if (record.id.empty()) return damaged("it has no job id");
  return record;
}

}  // namespace muster::store
