// SPDX-License-Identifier: Apache-2.0
#include "core/job/document/yaml_prescan.h"

#include "core/base/text.h"

namespace muster {
namespace {

Diagnostic problem_of(const std::string& file, const char* code, std::string message, std::string help) {
  Diagnostic problem;
  problem.code = code;
  problem.where.file = file;
  problem.message = std::move(message);
  problem.help = std::move(help);
  return problem;
}

bool is_forbidden(unsigned char byte) {
  return (byte < 0x20 && byte != '\t' && byte != '\n' && byte != '\r') || byte == 0x7F;
}

bool begins_token(char byte) { return std::string_view(",[]{}:-?&*!\n").find(byte) != std::string_view::npos; }

Diagnostic not_text(std::string_view text, size_t at, const std::string& file) {
  const std::string_view before = text.substr(0, at);
  const size_t line_start = before.rfind('\n') + 1;  // npos + 1 is 0
  Diagnostic problem = problem_of(file, "E1006", "`" + file + "` is not text: byte " + escaped(text.substr(at, 1)),
                                  "a job file is UTF-8 without control characters");
  if (text[at] == '\0') problem.help = "this looks like a binary or UTF-16 file; a job file is UTF-8 text";
  problem.where.line = 1;
  for (const char byte : before) problem.where.line += byte == '\n' ? 1 : 0;
  problem.where.column = static_cast<uint32_t>(at - line_start + 1);
  return problem;
}

// `marks`: gets the number of bytes that can begin a token.
std::optional<Diagnostic> scan(std::string_view text, const std::string& file, size_t most_bytes, size_t& marks) {
  if (text.size() > most_bytes) {
    return problem_of(file, "E1002", "`" + file + "` is larger than " + humane_size(most_bytes),
                      "a job file describes a job; keep data and programs in files of their own");
  }
  for (size_t at = 0; at < text.size();) {
    const size_t length = utf8_length(text, at);
    if (length == 0 || is_forbidden(static_cast<unsigned char>(text[at]))) return not_text(text, at, file);
    marks += begins_token(text[at]) ? 1 : 0;
    at += length;
  }
  return std::nullopt;
}

}  // namespace

std::optional<Diagnostic> prescan_json(std::string_view text, const std::string& file) {
  size_t marks = 0;
  return scan(text, file, kMaxJsonBytes, marks);
}

std::optional<Diagnostic> prescan_yaml(std::string_view text, const std::string& file) {
  size_t marks = 0;
  if (auto problem = scan(text, file, kMaxYamlBytes, marks)) return problem;
  if (marks <= kMaxYamlMarks) return std::nullopt;
  return problem_of(
      file, "E1008", "`" + file + "` contains too many values",
      "a job file can have " + std::to_string(kMaxYamlMarks) + " structure characters, such as , : and -");
}

std::optional<Diagnostic> find_tab_indentation(std::string_view text, const std::string& file, uint32_t line) {
  std::optional<Diagnostic> found;
  for (uint32_t number = 1; number <= line && !text.empty(); ++number) {
    const std::string_view content = text.substr(0, text.find('\n'));
    const std::string_view indentation = content.substr(0, content.find_first_not_of(" \t"));
    const size_t tab = indentation.find('\t');
    if (tab != std::string_view::npos && indentation.size() < content.size()) {
      found = problem_of(file, "E1003", "this line is indented with a tab; YAML allows only spaces",
                         "replace each tab at the start of a line with two spaces");
      found->where = {file, number, static_cast<uint32_t>(tab + 1), static_cast<uint32_t>(indentation.size() - tab)};
      found->label = "tab";
    }
    text.remove_prefix(std::min(text.size(), content.size() + 1));
  }
  return found;
}

}  // namespace muster
