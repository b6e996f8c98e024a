// SPDX-License-Identifier: Apache-2.0
#include "core/client/submission/secrets.h"

#include <fstream>
#include <sstream>

#include "core/base/text.h"
#include "core/client/run_program.h"
#include "core/client/submission/preflight.h"

namespace muster {
namespace {

using Environment = std::map<std::string, std::string>;

constexpr size_t largest_secret = 64 << 10;

std::string without_last_newline(std::string text) {
  if (text.ends_with('\n')) text.pop_back();
  if (text.ends_with('\r')) text.pop_back();
  return text;
}

Result<std::string> from_file(const std::string& path, const std::string& workdir) {
  std::ifstream file(path.starts_with('/') ? path : workdir + "/" + path, std::ios::binary);
  std::string text(largest_secret + 1, '\0');
  if (!file) return Status(Code::not_found, "cannot read the file `" + path + "`");
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<size_t>(file.gcount()));
  if (text.size() > largest_secret) return Status(Code::out_of_range, "the file `" + path + "` is larger than 64 KiB");
  return without_last_newline(std::move(text));
}

Result<std::string> from_command(const std::string& command, const Environment& environment,
                                 const std::string& workdir) {
  HelperProgram program{.environment = environment, .workdir = workdir, .most_output = largest_secret};
  std::istringstream words(command);
  for (std::string word; words >> word;) program.argv.push_back(word);
  if (program.argv.empty()) return Status(Code::invalid_argument, "the command of `cmd:` is empty");
  auto ended = run_program(program, false);
  if (!ended.ok()) return ended.status();
  if (ended->exit_code != 0) {
    return Status(Code::failed_precondition, "`" + command + "` exited with code " + std::to_string(ended->exit_code));
  }
  return without_last_newline(std::move(ended->out));
}

Result<std::string> value_of(const SecretSource& source, const Environment& environment, const std::string& workdir) {
  switch (source.kind) {
    case SecretSource::Kind::env: {
      const auto found = environment.find(source.where);
      if (found != environment.end()) return found->second;
      return Status(Code::not_found, "`" + source.where + "` is not set in this shell");
    }
    case SecretSource::Kind::file: return from_file(source.where, workdir);
    case SecretSource::Kind::cmd: return from_command(source.where, environment, workdir);
  }
  return Status(Code::internal, "unknown kind of secret");
}

Diagnostic missing(const std::string& variable, const Status& why, const SourceRange& where) {
  Diagnostic diagnostic{.code = "E1404", .message = "no value for the secret `" + variable + "`: " + why.message()};
  diagnostic.where = where;
  diagnostic.help = "set it, or write `optional: true` to run without it";
  return diagnostic;
}

}  // namespace

ResolvedSecrets resolve_secrets(const JobSpec& spec, const Environment& environment, const Places& places,
                                const std::string& origin) {
  ResolvedSecrets resolved;
  const auto take = [&](const std::map<std::string, EnvValue>& variables, const std::string& path) {
    for (const auto& [name, value] : variables) {
      if (!value.secret) continue;
      auto secret = value_of(*value.secret, environment, spec.workdir);
      if (secret.ok()) {
        resolved.values[name] = std::move(*secret);
      } else if (!value.secret->optional) {
        resolved.diagnostics.push_back(missing(name, secret.status(), place_of(places, path + name, origin)));
      }
    }
  };
  take(spec.env, "env.");
  for (size_t i = 0; i < spec.groups.size(); ++i) take(spec.groups[i].env, "groups." + std::to_string(i) + ".env.");
  return resolved;
}

}  // namespace muster
