// SPDX-License-Identifier: Apache-2.0
// The record of an ended job in the last lines of its coordinator's log. Viewers read it there, because the coordinator cannot be asked any
// more and only the log is left of its pod. Its lines begin with `muster-record`, so that readers of the log can skip them. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/port/control_messages.h"

namespace muster::pod {

// The job and its events.
struct LogRecord {
  JobView job;
  std::vector<JobEvent> events;
};

// The maximum number of lines of a record.
constexpr size_t kMostRecordLines = 100;

// The record's lines, with newlines. At most kMostRecordLines lines of 6 KB. If that is too little, events in the middle are left out; if
// that is not enough, the result is empty.
std::string record_lines(const LogRecord& record);

bool is_record_line(std::string_view line);

// The record at the end of a log. Nothing: there is none, or it is incomplete.
std::optional<LogRecord> record_in(std::string_view log);

}  // namespace muster::pod
