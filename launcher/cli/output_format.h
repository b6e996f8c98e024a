// SPDX-License-Identifier: Apache-2.0
// The flag -o: the output format of a command. Text is for people and may change; json and yaml are for programs and are
// stable.
#pragma once

#include <string>
#include <string_view>

#include "core/client/screen.h"
#include "launcher/cli/command_line.h"

namespace muster {

// Declares -o with text, wide, name, json and yaml. wide equals text if a command has no further columns.
// `more`: a further format of the command, and what its help says of it; empty: none.
void declare_format(CommandLine& line, std::string& format, const std::string& more = "",
                    const std::string& about_more = "");
// Declares -o with text, json and yaml, for output without names.
void declare_document_format(CommandLine& line, std::string& format);

inline bool is_document(const std::string& format) { return format == "json" || format == "yaml"; }

// Help of -o for commands that print a stream of objects.
inline constexpr const char* stream_format_help =
    "output format (default: text); json: one object per line; yaml: one document per object";

// Prints the JSON document in `format`, which is json or yaml.
void print_document(Screen& screen, const std::string& format, std::string_view json);

}  // namespace muster
