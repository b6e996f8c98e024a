// SPDX-License-Identifier: Apache-2.0
#include "launcher/cli/output_format.h"

#include "core/client/view/json.h"

namespace muster {

void declare_format(CommandLine& line, std::string& format, const std::string& more, const std::string& about_more) {
  std::vector<std::string> formats{"text", "wide", "name", "json", "yaml"};
  if (!more.empty()) formats.push_back(more);
  line.choice("-o,--output", formats, format,
              "output format (default: text); wide: more columns; name: only names" + (more.empty() ? "" : about_more));
}

void declare_document_format(CommandLine& line, std::string& format) {
  line.choice("-o,--output", {"text", "json", "yaml"}, format, "output format (default: text)");
}

void print_document(Screen& screen, const std::string& format, std::string_view json) {
  screen.out(format == "yaml" ? yaml_from_json(json) : std::string(json) + "\n");
}

}  // namespace muster
