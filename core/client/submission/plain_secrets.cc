// SPDX-License-Identifier: Apache-2.0
#include "core/client/submission/plain_secrets.h"

#include <functional>

#include "core/client/preflight/preflight.h"
#include "core/job/variable_names.h"

namespace muster {
namespace {

std::string help_for(const std::string& name, const SourceRange& where) {
  if (where.line == 0 && where.file == "--env") return "-e " + name + " takes it from your shell and keeps it secret";
  return "`" + name + ": {from: \"env:" + name + "\"}` takes it from your shell; file:PATH and cmd:PROGRAM work too";
}

using Found = std::function<void(const std::string& path, const std::string& name, const std::string& value)>;

void each_plain(const JobSpec& spec, const Found& found) {
  const auto look = [&](const std::map<std::string, EnvValue>& variables, const std::string& path) {
    for (const auto& [name, value] : variables) {
      if (!value.secret && looks_secret(name, value.literal)) found(path + name, name, value.literal);
    }
  };
  look(spec.env, "env.");
  for (size_t i = 0; i < spec.groups.size(); ++i) look(spec.groups[i].env, "groups." + std::to_string(i) + ".env.");
}

}  // namespace

std::vector<Diagnostic> plain_secrets(const JobSpec& spec, const Places& places, const std::string& origin) {
  std::vector<Diagnostic> found;
  each_plain(spec, [&](const std::string& path, const std::string& name, const std::string&) {
    Diagnostic plain{.severity = Severity::warning, .code = "E1411"};
    plain.where = place_of(places, path, origin);
    plain.message = "`" + name + "` looks like a secret, but its value would be stored in the job's record";
    plain.help = help_for(name, plain.where);
    found.push_back(std::move(plain));
  });
  return found;
}

void blot_secrets(const JobSpec& spec, std::vector<SourceText>& sources) {
  each_plain(spec, [&](const std::string&, const std::string&, const std::string& value) {
    for (SourceText& source : sources) {
      for (size_t at = source.text.find(value); at != std::string::npos; at = source.text.find(value, at))
        source.text.replace(at, value.size(), std::string(value.size(), '*'));
    }
  });
}

}  // namespace muster
