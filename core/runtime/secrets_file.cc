#include "core/runtime/secrets_file.h"

#include <vector>

namespace muster {
namespace {

// "NAME=value" ends with NUL, as in /proc/PID/environ (proc(5)): values may hold any other byte. An empty entry parts the two maps.
void put(std::string& text, const std::map<std::string, std::string>& values) {
  for (const auto& [name, value] : values) text += name + "=" + value + '\0';
}

}  // namespace

std::string encode_secrets(const JobSecrets& secrets) {
  std::string text;
  put(text, secrets.environment);
  text += '\0';
  put(text, secrets.secrets);
  return text;
}

Result<JobSecrets> decode_secrets(std::string_view text) {
  JobSecrets secrets;
  std::map<std::string, std::string>* into = &secrets.environment;
  while (!text.empty()) {
    const size_t end = text.find('\0');
    if (end == std::string_view::npos) return Status(Code::data_loss, "the job's environment file is cut off");
    const std::string_view entry = text.substr(0, end);
    text.remove_prefix(end + 1);
    const size_t equals = entry.find('=');
    if (entry.empty() && into == &secrets.environment) {
      into = &secrets.secrets;
    } else if (equals == std::string_view::npos) {
      return Status(Code::data_loss, "the job's environment file has an entry without a name");
    } else {
      into->emplace(entry.substr(0, equals), entry.substr(equals + 1));
    }
  }
  return secrets;
}

}  // namespace muster
