// Words the traces and commands of several machines share.
#pragma once

#include <string>

#include "core/base/time.h"
#include "core/job/exit_status.h"
#include "test/scenario/command.h"

namespace muster::scenario {

inline const TimePoint kStoryBegins = from_unix_nanos(1'767'225'600'000'000'000);  // 2026-01-01

// "at 1m30s" since the story began.
std::string at(TimePoint time);

// `0`, `SIGSEGV`, `oom`, `not_started` → how a rank ended.
ExitStatus parse_exit(const std::string& text, const std::string& detail);

}  // namespace muster::scenario
