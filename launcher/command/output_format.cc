#include "launcher/command/output_format.h"

#include "launcher/view/json.h"

namespace muster {

void declare_format(CommandLine& line, std::string& format, std::vector<std::string> more) {
  std::vector<std::string> choices{"text", "json", "yaml"};
  choices.insert(choices.end(), more.begin(), more.end());
  line.choice("-o,--output", std::move(choices), format, "how to print it");
}

void print_document(Screen& screen, const std::string& format, std::string_view json) {
  screen.out(format == "yaml" ? yaml_from_json(json) : std::string(json) + "\n");
}

}  // namespace muster
