// SPDX-License-Identifier: Apache-2.0
#include "core/job/errors/explain.h"

#include <array>

#include "core/base/text.h"
#include "core/job/errors/explain_table.h"

namespace muster {
namespace {

constexpr std::string_view kExplain = " (muster explain ";

std::array<std::span<const ExplainRow>, 9> tables() {
  return {explain_file_rows(),          explain_value_rows(),  explain_name_rows(),
          explain_contradiction_rows(), explain_host_rows(),   explain_kubernetes_rows(),
          explain_cluster_rows(),       explain_mpirun_rows(), explain_manifest_rows()};
}

std::string example(std::string_view heading, std::string_view lines) {
  if (lines.empty()) return "";
  std::string text = "\n" + std::string(heading) + ":\n";
  for (const std::string& line : split(lines, '\n')) text += "    " + line + "\n";
  return text;
}

Explanation explanation_of(const ExplainRow& row) {
  return {std::string(row.code), std::string(row.title),
          std::string(row.text) + "\n" + example("Wrong", row.wrong) + example("Right", row.right)};
}

}  // namespace

std::optional<Explanation> explain(std::string_view code) {
  for (const auto& table : tables()) {
    for (const ExplainRow& row : table) {
      if (row.code == code) return explanation_of(row);
    }
  }
  return std::nullopt;
}

std::vector<std::string> explained_codes() {
  std::vector<std::string> codes;
  for (const auto& table : tables()) {
    for (const ExplainRow& row : table) codes.emplace_back(row.code);
  }
  return codes;
}

Status explained(Code status_code, const std::string& sentence, const char* code) {
  return {status_code, sentence + std::string(kExplain) + code + ")"};
}

MessageParts message_parts(std::string_view message) {
  constexpr std::string_view kNothing = "; nothing was created";
  MessageParts parts;
  const size_t end = message.rfind(kExplain);
  if (end == std::string_view::npos || !message.ends_with(')')) return {std::string(message), "", ""};
  parts.code = message.substr(end + kExplain.size(), message.size() - end - kExplain.size() - 1);
  message = message.substr(0, end);
  if (message.ends_with(kNothing)) message.remove_suffix(kNothing.size());
  const size_t fix = message.rfind("; ");
  parts.sentence = message.substr(0, fix);
  if (fix != std::string_view::npos) parts.fix = message.substr(fix + 2);
  return parts;
}

}  // namespace muster
