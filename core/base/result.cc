// SPDX-License-Identifier: Apache-2.0
#include "core/base/result.h"

#include <system_error>

namespace muster {

std::string_view to_string(Code code) {
  switch (code) {
    case Code::ok: return "ok";
    case Code::cancelled: return "cancelled";
    case Code::unknown: return "unknown";
    case Code::invalid_argument: return "invalid_argument";
    case Code::deadline_exceeded: return "deadline_exceeded";
    case Code::not_found: return "not_found";
    case Code::already_exists: return "already_exists";
    case Code::permission_denied: return "permission_denied";
    case Code::resource_exhausted: return "resource_exhausted";
    case Code::failed_precondition: return "failed_precondition";
    case Code::aborted: return "aborted";
    case Code::out_of_range: return "out_of_range";
    case Code::unimplemented: return "unimplemented";
    case Code::internal: return "internal";
    case Code::unavailable: return "unavailable";
    case Code::data_loss: return "data_loss";
    case Code::unauthenticated: return "unauthenticated";
  }
  return "unknown";
}

Status Status::with_context(std::string_view context) const {
  if (ok()) return *this;
  return Status(code_, std::string(context) + ": " + message_);
}

namespace {

Code code_of_errno(int error_number) {
  switch (error_number) {
    case ENOENT: return Code::not_found;
    case EEXIST: return Code::already_exists;
    case EACCES:
    case EPERM: return Code::permission_denied;
    case ENOSPC:
    case EDQUOT:
    case EMFILE:
    case ENFILE:
    case ENOMEM:
    case EAGAIN:
    case E2BIG: return Code::resource_exhausted;
    case EINVAL:
    case ENAMETOOLONG: return Code::invalid_argument;
    case ECONNREFUSED:
    case ECONNRESET:
    case EPIPE: return Code::unavailable;
    default: return Code::internal;
  }
}

}  // namespace

Status errno_status(int error_number, std::string_view what) {
  const char* cure = error_number == EMFILE ? ". Raise the limit of open files: ulimit -n 4096" : "";
  return Status(code_of_errno(error_number),
                std::string(what) + ": " + std::generic_category().message(error_number) + cure);
}

}  // namespace muster
