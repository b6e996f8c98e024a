// SPDX-License-Identifier: Apache-2.0
// Functions that the traces and commands of several machines share.
#pragma once

#include <string>

#include "core/base/time.h"
#include "core/job/exit_status.h"
#include "test/scenario/command.h"

namespace muster::scenario {

inline const TimePoint kStoryBegins = from_unix_nanos(1'767'225'600'000'000'000);  // 2026-01-01

// "at 1m30s", measured from the begin of the scenario.
std::string at(TimePoint time);

// The exit status for `0`, `SIGSEGV`, `oom` or `not_started`.
ExitStatus parse_exit(const std::string& text, const std::string& detail);

}  // namespace muster::scenario
