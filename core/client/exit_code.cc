// SPDX-License-Identifier: Apache-2.0
#include "core/client/exit_code.h"

namespace muster {

ExitCode exit_code_of(const Status& status) {
  switch (status.code()) {
    case Code::ok: return exit_ok;
    case Code::invalid_argument:
    case Code::out_of_range:
    case Code::unimplemented: return exit_usage;
    case Code::unavailable: return exit_unreachable;
    case Code::unauthenticated:
    case Code::permission_denied: return exit_unauthenticated;
    case Code::not_found: return exit_not_found;
    case Code::already_exists:
    case Code::failed_precondition:
    case Code::aborted: return exit_conflict;
    case Code::deadline_exceeded: return exit_timeout;
    case Code::resource_exhausted: return exit_refused;
    case Code::cancelled: return exit_interrupted;
    case Code::unknown:
    case Code::internal:
    case Code::data_loss: return exit_job_failed;
  }
  return exit_job_failed;
}

}  // namespace muster
