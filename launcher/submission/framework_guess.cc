#include "launcher/submission/framework_guess.h"

#include <array>
#include <filesystem>
#include <string_view>

#include "core/base/text.h"
#include "launcher/beginning_of.h"

namespace muster {
namespace {

namespace fs = std::filesystem;

struct Import {
  Framework framework;
  std::string_view module;
};

constexpr std::array<Import, 6> imports{{{Framework::deepspeed, "deepspeed"},
                                         {Framework::lightning, "pytorch_lightning"},
                                         {Framework::lightning, "lightning"},
                                         {Framework::accelerate, "accelerate"},
                                         {Framework::accelerate, "transformers"},
                                         {Framework::torch, "torch.distributed"}}};

// `import NAME`, `from NAME import`, `import NAME.part`, at the beginning of a line.
bool imports_module(const std::string& text, std::string_view module) {
  for (const std::string& line : split(text, '\n')) {
    const size_t first = std::min(line.find_first_not_of(" \t"), line.size());
    const std::string_view code = std::string_view(line).substr(first);
    for (const std::string_view lead : {"import ", "from "}) {
      if (!code.starts_with(lead) || !code.substr(lead.size()).starts_with(module)) continue;
      const std::string_view rest = code.substr(lead.size() + module.size());
      if (rest.empty() || std::string_view(" ,.;\r").find(rest.front()) != std::string_view::npos) return true;
    }
  }
  return false;
}

}  // namespace

FrameworkGuess imported_framework(const std::string& script, const std::string& text) {
  for (const Import& each : imports) {
    if (imports_module(text, each.module))
      return {each.framework, fs::path(script).filename().string() + " imports " + std::string(each.module)};
  }
  if (text.find("torch.distributed") == std::string::npos) return {};
  return {Framework::torch, fs::path(script).filename().string() + " uses torch.distributed"};
}

std::optional<std::string> python_script(const std::vector<std::string>& command) {
  if (command.empty() || !fs::path(command[0]).filename().string().starts_with("python")) return std::nullopt;
  for (size_t i = 1; i < command.size(); ++i) {
    const std::string& word = command[i];
    if (word == "-m" || word == "-c" || word == "-") return std::nullopt;
    if (word == "-W" || word == "-X") ++i;
    if (!word.starts_with("-")) return word;
  }
  return std::nullopt;
}

FrameworkGuess guess_framework(const JobSpec& spec, const std::string& workdir) {
  if (spec.groups.empty()) return {};
  const auto script = python_script(spec.groups.front().command);
  if (!script) return {};
  if (beginning_of(fs::path(workdir) / *script).find("torch.distributed") == std::string::npos) return {};
  return {Framework::torch, "framework: torch (" + fs::path(*script).filename().string() + " uses torch.distributed)"};
}

}  // namespace muster
