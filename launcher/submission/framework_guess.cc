#include "launcher/submission/framework_guess.h"

#include <filesystem>

#include "launcher/beginning_of.h"

namespace muster {
namespace {

namespace fs = std::filesystem;

}  // namespace

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
