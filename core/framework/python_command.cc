#include "core/framework/python_command.h"

#include <algorithm>
#include <string_view>

namespace muster {
namespace {

bool is_interpreter(std::string_view word) {
  const std::string_view program = word.substr(word.rfind('/') + 1);
  return program.starts_with("python") || program.starts_with("pypy");
}

}  // namespace

bool is_python(const std::vector<std::string>& command) {
  if (command.empty()) return false;
  return is_interpreter(command[0]) || (command[0].size() > 3 && command[0].ends_with(".py"));
}

size_t first_argument(const std::vector<std::string>& command) {
  if (command.empty() || !is_interpreter(command[0])) return command.empty() ? 0 : 1;
  for (size_t at = 1; at < command.size(); ++at) {
    const std::string_view word = command[at];
    if (word == "-m" || word == "-c") return std::min(at + 2, command.size());
    if (!word.starts_with("-") || word == "-") return at + 1;
    if (word == "-W" || word == "-X" || word == "--check-hash-based-pycs") ++at;
  }
  return command.size();
}

}  // namespace muster
