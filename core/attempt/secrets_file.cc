// SPDX-License-Identifier: Apache-2.0
#include "core/attempt/secrets_file.h"

#include <array>
#include <cstdlib>

#include "core/base/text.h"

namespace muster {
namespace {

using Values = std::map<std::string, std::string>;

// Each "NAME=value" ends with NUL, as in /proc/PID/environ (proc(5)): values may contain any other byte. An empty entry separates
// the four maps: environment, secrets, settings, streams.
void put(std::string& text, const Values& values) {
  for (const auto& [name, value] : values) text += name + "=" + value + '\0';
}

constexpr const char* kUmask = "umask";
constexpr const char* kNice = "nice";
constexpr const char* kCpus = "cpus";
constexpr const char* kIgnored = "ignored_signals";

Values values_of(const ProcessSettings& settings) {
  Values values;
  for (const auto& [name, limit] : settings.soft_limits) values["soft_" + name] = std::to_string(limit);
  if (settings.umask) values[kUmask] = std::to_string(*settings.umask);
  if (settings.nice) values[kNice] = std::to_string(*settings.nice);
  for (const uint32_t cpu : settings.cpus) values[kCpus] += std::to_string(cpu) + ",";
  for (const uint32_t number : settings.ignored_signals) values[kIgnored] += std::to_string(number) + ",";
  return values;
}

std::vector<uint32_t> numbers_of(const std::string& text) {
  std::vector<uint32_t> numbers;
  for (const std::string& number : split(text, ',')) {
    if (!number.empty()) numbers.push_back(static_cast<uint32_t>(std::strtoul(number.c_str(), nullptr, 10)));
  }
  return numbers;
}

// Unknown settings of a later muster are ignored.
ProcessSettings settings_of(const Values& values) {
  ProcessSettings settings;
  for (const auto& [name, value] : values) {
    const uint64_t number = std::strtoull(value.c_str(), nullptr, 10);
    if (name == kNice) settings.nice = static_cast<int32_t>(std::strtol(value.c_str(), nullptr, 10));
    if (name == kCpus) settings.cpus = numbers_of(value);
    if (name == kIgnored) settings.ignored_signals = numbers_of(value);
    if (name == kUmask) settings.umask = static_cast<uint32_t>(number);
    if (name.starts_with("soft_")) settings.soft_limits[name.substr(5)] = number;
  }
  return settings;
}

Values values_of(const CallerStreams& streams) {
  Values values;
  if (const auto& window = streams.window) {
    values["rows"] = std::to_string(window->rows);
    values["columns"] = std::to_string(window->columns);
    values["keys"] = window->keys ? "1" : "0";
  }
  if (const auto& input = streams.input) {
    values["pid"] = std::to_string(input->pid);
    values["start_ticks"] = std::to_string(input->start_ticks);
    values["descriptor"] = std::to_string(input->descriptor);
    if (input->rank) values["rank"] = std::to_string(*input->rank);
  }
  return values;
}

uint64_t number_in(const Values& values, const std::string& name) {
  const auto found = values.find(name);
  return found == values.end() ? 0 : std::strtoull(found->second.c_str(), nullptr, 10);
}

CallerStreams streams_of(const Values& values) {
  CallerStreams streams;
  if (values.contains("keys"))
    streams.window = CallerWindow{static_cast<uint16_t>(number_in(values, "rows")),
                                  static_cast<uint16_t>(number_in(values, "columns")), number_in(values, "keys") != 0};
  if (!values.contains("pid")) return streams;
  streams.input = CallerInput{static_cast<int64_t>(number_in(values, "pid")), number_in(values, "start_ticks"),
                              static_cast<uint32_t>(number_in(values, "descriptor")), std::nullopt};
  if (values.contains("rank")) streams.input->rank = static_cast<uint32_t>(number_in(values, "rank"));
  return streams;
}

}  // namespace

std::string encode_secrets(const JobSecrets& secrets) {
  std::string text;
  put(text, secrets.environment);
  text += '\0';
  put(text, secrets.secrets);
  text += '\0';
  put(text, values_of(secrets.settings));
  text += '\0';
  put(text, values_of(secrets.streams));
  return text;
}

Result<JobSecrets> decode_secrets(std::string_view text) {
  std::array<Values, 4> parts;
  size_t part = 0;
  while (!text.empty()) {
    const size_t end = text.find('\0');
    if (end == std::string_view::npos) return Status(Code::data_loss, "the job's environment file is truncated");
    const std::string_view entry = text.substr(0, end);
    text.remove_prefix(end + 1);
    const size_t equals = entry.find('=');
    if (entry.empty() && part + 1 < parts.size()) {
      ++part;
    } else if (equals == std::string_view::npos) {
      return Status(Code::data_loss, "the job's environment file has an entry without a name");
    } else {
      parts[part].emplace(entry.substr(0, equals), entry.substr(equals + 1));
    }
  }
  return JobSecrets{std::move(parts[0]), std::move(parts[1]), settings_of(parts[2]), streams_of(parts[3])};
}

Status empty_secrets(PrivateFileStore& store, const JobId& job) {
  const Status emptied = store.write_private(job, kSecretsFile, "");
  return emptied.code() == Code::not_found ? Status() : emptied;
}

}  // namespace muster
