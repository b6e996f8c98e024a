// SPDX-License-Identifier: Apache-2.0
// The error file that a rank writes to TORCHELASTIC_ERROR_FILE (torch's @record, --run-path): {"message": {"message": …,
// "extraInfo": {"py_callstack": …}}}, or another form that a program chose. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace muster {

struct RankError {
  std::string message;    // "RuntimeError: shapes do not match"; may be empty
  std::string traceback;  // of Python; may be empty
};

// Nothing: `json` is no error file.
std::optional<RankError> parse_error_file(std::string_view json);

// The file for the launcher's own TORCHELASTIC_ERROR_FILE, with errorCode as torchrun sets it. Text in another form is returned
// unchanged.
std::string error_file_with_code(std::string_view json, int code);

}  // namespace muster
