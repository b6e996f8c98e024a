// SPDX-License-Identifier: Apache-2.0
#include "test/scenario/trace.h"

#include "core/job/job_spec.h"

namespace muster::scenario {

std::string at(TimePoint time) { return "at " + format_duration(time - kStoryBegins); }

ExitStatus parse_exit(const std::string& text, const std::string& detail) {
  ExitStatus exit;
  exit.detail = detail;
  if (text == "not_started") {
    exit.kind = ExitStatus::Kind::not_started;
  } else if (text == "oom" || text.starts_with("SIG")) {
    exit.kind = ExitStatus::Kind::signalled;
    exit.oom = text == "oom";
    exit.signal = signal_number(exit.oom ? "SIGKILL" : text).value_or(0);
    if (exit.signal == 0) throw BadCommand("`" + text + "` is not a signal");
  } else {
    exit.code = static_cast<int>(parse_number(text));
  }
  return exit;
}

}  // namespace muster::scenario
