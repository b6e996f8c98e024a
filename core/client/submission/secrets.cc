// SPDX-License-Identifier: Apache-2.0
#include "core/client/submission/secrets.h"

#include <chrono>
#include <sstream>

#include "core/base/text.h"
#include "core/client/preflight/preflight.h"
#include "core/client/run_program.h"
#include "core/client/submission/secret_file.h"

namespace muster {
namespace {

using Environment = std::map<std::string, std::string>;

constexpr auto kPatience = std::chrono::seconds(10);

std::string without_last_newline(std::string text) {
  if (text.ends_with('\n')) text.pop_back();
  if (text.ends_with('\r')) text.pop_back();
  return text;
}

SecretValue from_variable(const std::string& name, const Environment& environment) {
  const auto found = environment.find(name);
  if (found != environment.end()) return found->second;
  return NoSecret{"`" + name + "` is not set in this shell", ""};
}

SecretValue from_command(const std::string& command, const Environment& environment, const std::string& workdir) {
  const std::string shown = "`" + escaped(command) + "`";
  HelperProgram program{
      .environment = environment, .workdir = workdir, .patience = kPatience, .most_output = kLargestSecret + 1};
  std::istringstream words(command);
  for (std::string word; words >> word;) program.argv.push_back(word);
  if (program.argv.empty()) return NoSecret{"the command of `cmd:` is empty", ""};
  auto ended = run_program(program, false);
  if (!ended.ok()) return NoSecret{ended.status().message(), ""};
  if (ended->exit_code != 0) return NoSecret{shown + " exited with code " + std::to_string(ended->exit_code), ""};
  if (ended->out.size() > kLargestSecret) return NoSecret{shown + " printed more than 64 KiB", ""};
  return std::move(ended->out);
}

SecretValue text_of(const SecretSource& source, const Environment& environment, const std::string& workdir,
                    const Environment& manifest) {
  const auto found = manifest.find(source.where);
  switch (source.kind) {
    case SecretSource::Kind::env: return from_variable(source.where, environment);
    case SecretSource::Kind::file: return read_secret_file(source.where, workdir, kPatience);
    case SecretSource::Kind::cmd: return from_command(source.where, environment, workdir);
    case SecretSource::Kind::manifest:
      if (found != manifest.end()) return found->second;
      return NoSecret{"the job is read from no manifest with it", "write env:NAME, file:PATH or cmd:PROGRAM"};
  }
  return NoSecret{"its source is unknown", ""};
}

SecretValue value_of(const SecretSource& source, const Environment& environment, const std::string& workdir,
                     const Environment& manifest) {
  SecretValue value = text_of(source, environment, workdir, manifest);
  auto* text = std::get_if<std::string>(&value);
  if (text == nullptr) return value;
  // The value of a variable ends at its first NUL byte.
  if (text->find('\0') != std::string::npos)
    return NoSecret{"`" + escaped(source.where) + "` contains a NUL byte, which a variable cannot have",
                    "store the value as text, for example in base64, or pass the path of the file instead"};
  const bool exact = source.kind == SecretSource::Kind::env || source.kind == SecretSource::Kind::manifest;
  return exact ? value : without_last_newline(std::move(*text));
}

Diagnostic missing(const std::string& variable, const NoSecret& why, const SourceRange& where) {
  Diagnostic diagnostic{.code = "E1404", .message = "no value for the secret `" + variable + "`: " + why.cause};
  diagnostic.where = where;
  diagnostic.help = why.fix.empty() ? "set it, or write `optional: true` to run without it" : why.fix;
  return diagnostic;
}

}  // namespace

ResolvedSecrets resolve_secrets(const JobSpec& spec, const Environment& environment, const Places& places,
                                const std::string& origin, const Environment& manifest) {
  ResolvedSecrets resolved;
  const auto take = [&](const std::map<std::string, EnvValue>& variables, const std::string& path) {
    for (const auto& [name, value] : variables) {
      if (!value.secret) continue;
      SecretValue secret = value_of(*value.secret, environment, spec.workdir, manifest);
      if (auto* text = std::get_if<std::string>(&secret)) {
        resolved.values[name] = std::move(*text);
      } else if (!value.secret->optional) {
        resolved.diagnostics.push_back(
            missing(name, std::get<NoSecret>(secret), place_of(places, path + name, origin)));
      }
    }
  };
  take(spec.env, "env.");
  for (size_t i = 0; i < spec.groups.size(); ++i) take(spec.groups[i].env, "groups." + std::to_string(i) + ".env.");
  return resolved;
}

}  // namespace muster
