// `-o`: how a command prints what it found. Text is for people and may change; json and yaml are for programs
// and do not.
#pragma once

#include <string>
#include <string_view>

#include "core/client/screen.h"
#include "launcher/cli/command_line.h"

namespace muster {

// Declares -o with text, wide, name, json and yaml. wide is text where there is no more to say.
void declare_format(CommandLine& line, std::string& format);
// Of what is no object with a name: text, json and yaml.
void declare_document_format(CommandLine& line, std::string& format);

inline bool is_document(const std::string& format) { return format == "json" || format == "yaml"; }

// Prints the JSON document in the format, which is json or yaml.
void print_document(Screen& screen, const std::string& format, std::string_view json);

}  // namespace muster
