// What viewers are told of a job that has ended, as the last lines of its coordinator's log: nobody can be asked any more then, and a
// log is all that is left of a pod. People with kubectl alone skip the lines that begin with `muster-record`. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/port/control_messages.h"

namespace muster::pod {

// A job, and what happened to it.
struct LogRecord {
  JobView job;
  std::vector<JobEvent> events;
};

// So many of the newest lines of a log hold it.
constexpr size_t kMostRecordLines = 100;

// With their ends. At most kMostRecordLines of 6 KB each: where that is too little events are left out, then all.
std::string record_lines(const LogRecord& record);

bool is_record_line(std::string_view line);

// Of a log's end. Nothing: there is none, or not whole.
std::optional<LogRecord> record_in(std::string_view log);

}  // namespace muster::pod
