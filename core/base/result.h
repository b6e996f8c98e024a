// SPDX-License-Identifier: Apache-2.0
// Status and Result<T>: the results of operations that can fail.
//
// They are never thrown. For invariants, use check.h. The numbers of codes are those of gRPC, so that a cast converts
// them. Values: can be copied and used on any thread.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "core/base/check.h"

namespace muster {

enum class Code : int {
  ok = 0,
  cancelled = 1,
  unknown = 2,
  invalid_argument = 3,
  deadline_exceeded = 4,
  not_found = 5,
  already_exists = 6,
  permission_denied = 7,
  resource_exhausted = 8,
  failed_precondition = 9,
  aborted = 10,
  out_of_range = 11,
  unimplemented = 12,
  internal = 13,
  unavailable = 14,
  data_loss = 15,
  unauthenticated = 16,
};

// The code's name as written here, such as "not_found".
std::string_view to_string(Code code);

// Success, or a code and a message for the user: what happened, why, and what to do.
class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(Code code, std::string message) : code_(code), message_(std::move(message)) {}

  bool ok() const { return code_ == Code::ok; }
  Code code() const { return code_; }
  const std::string& message() const { return message_; }

  // The same failure with `context: ` before its message. Success stays success.
  Status with_context(std::string_view context) const;

  bool operator==(const Status&) const = default;

 private:
  Code code_ = Code::ok;
  std::string message_;
};

// A failure with the message `what: TEXT`, where TEXT is the system's text for `error_number` (an errno value).
Status errno_status(int error_number, std::string_view what);

// A T, or the Status that says why there is none. Reading the value of a failure violates an invariant (check.h).
template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : value_(std::move(value)) {}
  Result(Status status) : value_(std::move(status)) { MUSTER_CHECK(!std::get<Status>(value_).ok()); }

  bool ok() const { return std::holds_alternative<T>(value_); }
  Status status() const { return ok() ? Status() : std::get<Status>(value_); }

  const T& operator*() const { return value(); }
  T& operator*() { return value(); }
  const T* operator->() const { return &value(); }
  T* operator->() { return &value(); }

  const T& value() const {
    MUSTER_CHECK(ok());
    return std::get<T>(value_);
  }
  T& value() {
    MUSTER_CHECK(ok());
    return std::get<T>(value_);
  }

 private:
  std::variant<T, Status> value_;
};

}  // namespace muster
