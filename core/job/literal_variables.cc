// SPDX-License-Identifier: Apache-2.0
#include "core/job/literal_variables.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <string>
#include <string_view>

namespace muster {
namespace {

constexpr std::array<std::string_view, 7> kShells{"sh", "bash", "dash", "zsh", "ksh", "fish", "ash"};

bool is_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// A text such as `${HOME}` in a value.
struct Reference {
  std::string text;  // as written
  std::string name;
};

std::optional<Reference> first_reference(const std::string& value) {
  for (size_t at = value.find('$'); at != std::string::npos; at = value.find('$', at + 1)) {
    const bool braced = value.substr(at + 1, 1) == "{";
    const size_t begin = at + (braced ? 2 : 1);
    size_t end = begin;
    while (end < value.size() && is_name(value[end])) ++end;
    const bool named = end > begin && std::isdigit(static_cast<unsigned char>(value[begin])) == 0;
    const std::string name = value.substr(begin, end - begin);
    if (braced)
      end =
          std::string_view("}:-").find(value[end]) == std::string_view::npos ? std::string::npos : value.find('}', end);
    if (!named || end == std::string::npos) continue;
    return Reference{value.substr(at, end - at + (braced ? 1 : 0)), name};
  }
  return std::nullopt;
}

class Finder {
 public:
  explicit Finder(const Places& places) : places_(places) {}

  void variables(const std::map<std::string, EnvValue>& env, const std::string& path) {
    for (const auto& [name, value] : env) {
      const auto found = value.secret ? std::nullopt : first_reference(value.literal);
      if (!found) continue;
      const std::string form = "`" + name + ": {from: \"env:" + found->name + "\"}`";
      const bool whole = found->text == value.literal;
      add(path + name,
          "ranks get `" + name + "` with the text " + found->text + ": muster replaces no variables in env",
          whole ? form + " takes the value from your shell"
                : "write the value itself, or let your shell replace it: -e " + name + "=\"" + value.literal + "\"");
    }
  }

  void command(const std::vector<std::string>& words, const std::string& path, bool macros) {
    const auto reads_it = [](const std::string& word) {
      const std::string program = word.substr(word.rfind('/') + 1);
      return word == "-c" || std::find(kShells.begin(), kShells.end(), program) != kShells.end();
    };
    if (std::any_of(words.begin(), words.end(), reads_it)) return;
    for (const std::string& word : words) {
      const auto found = first_reference(word);
      if (!found || (macros && found->name == "local_rank")) continue;
      return add(path, "the program gets the text " + found->text + ": no shell reads `command`",
                 "name a shell: [bash, -c, \"…\"]");
    }
  }

  std::vector<Diagnostic> take() { return std::move(found_); }

 private:
  void add(const std::string& path, std::string message, std::string help) {
    const auto place = places_.find(path);
    if (place == places_.end() || place->second.line == 0) return;
    Diagnostic warning{.severity = Severity::warning, .code = "E1317"};
    warning.where = place->second;
    warning.message = std::move(message);
    warning.help = std::move(help);
    found_.push_back(std::move(warning));
  }

  const Places& places_;
  std::vector<Diagnostic> found_;
};

}  // namespace

std::vector<Diagnostic> literal_variables(const JobSpec& spec, const Places& places) {
  Finder finder(places);
  finder.variables(spec.env, "env.");
  for (size_t i = 0; i < spec.groups.size(); ++i) {
    const std::string path = "groups." + std::to_string(i);
    finder.variables(spec.groups[i].env, path + ".env.");
    finder.command(spec.groups[i].command, path + ".command", spec.torch.macros);
  }
  return finder.take();
}

}  // namespace muster
