// SPDX-License-Identifier: Apache-2.0
#include "core/client/submission/job_flags.h"

#include <cctype>

#include "core/base/text.h"
#include "core/client/typed_words.h"
#include "core/job/json_text.h"

namespace muster {

JobFlags::JobFlags()
    : mirrors{
          {"-n,--workers", "workers", "MUSTER_WORKERS", "N|auto", "ranks per node; auto: one per GPU", {}},
          {"--nodes", "nodes", "MUSTER_NODES", "N|MIN..MAX", "number of nodes", {}},
          {"--name", "name", "MUSTER_NAME", "NAME", "the job's name", {}},
          {"--framework",
           "framework",
           "MUSTER_FRAMEWORK",
           "NAME",
           "how ranks get their rank and peers; list: muster frameworks",
           {}},
          {"--runtime", "runtime", "MUSTER_RUNTIME", "NAME", "template for the job; list: muster runtimes", {}},
          {"--gpus", "worker.gpus", "MUSTER_GPUS", "N|auto", "GPUs per rank", {}},
          {"--cpus",
           "worker.cpus",
           "MUSTER_CPUS",
           "N",
           "CPUs per rank, reserved and bound; without this flag ranks share CPUs",
           {}},
          {"--memory", "worker.memory", "MUSTER_MEMORY", "SIZE", "memory per rank, such as 4GiB", {}},
          {"--workdir", "workdir", "MUSTER_WORKDIR", "FOLDER", "working folder of the ranks", {}},
          {"--in-image",
           "in_image",
           "MUSTER_IN_IMAGE",
           "IMAGE",
           "run the ranks in this container image; manifest: in the image that a manifest names",
           {}},
          {"--restarts", "restarts.limit", "MUSTER_RESTARTS_LIMIT", "N", "restarts before the job fails", {}},
          {"--grace", "restarts.grace", "MUSTER_GRACE", "TIME", "time between SIGTERM and SIGKILL at a restart", {}},
          {"--timeout-queue", "timeouts.queue", "MUSTER_TIMEOUT_QUEUE", "TIME", "longest wait in the queue", {}},
          {"--timeout-start", "timeouts.start", "MUSTER_TIMEOUT_START", "TIME", "longest time until all ranks run", {}},
          {"--timeout-run", "timeouts.run", "MUSTER_TIMEOUT_RUN", "TIME", "longest run time of the job", {}},
          {"--timeout-stop",
           "timeouts.stop",
           "MUSTER_TIMEOUT_STOP",
           "TIME",
           "time between SIGTERM and SIGKILL when you stop the job",
           {}},
          {"--priority",
           "priority",
           "MUSTER_PRIORITY",
           "N",
           "priority in the queue, -100 to 100; higher starts first",
           {}},
          {"--backend", "backend", "MUSTER_BACKEND", "NAME", "local, ssh or kubernetes", {}},
          {"--hosts",
           "hosts",
           "MUSTER_HOSTS",
           "LIST",
           "hosts for the ssh backend, by their ssh names: a1,mia@a2:4 (4 slots)",
           {}},
          {"--tty", "tty", "MUSTER_TTY", "RANK", "give this rank a terminal, connected to yours", {}},
      } {}

namespace {

bool in_a_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' || c == '-'; }

// Replaces each `key` in `text` that is not part of a longer word.
void rename(std::string& text, const std::string& key, const std::string& name) {
  for (size_t at = text.find(key); at != std::string::npos; at = text.find(key, at)) {
    const size_t end = at + key.size();
    const bool inside = (at > 0 && in_a_name(text[at - 1])) || (end < text.size() && in_a_name(text[end]));
    const std::string& now = inside ? key : name;
    text.replace(at, key.size(), now);
    at += now.size();
  }
}

struct Pair {
  std::string key;
  std::string value;
};

Result<Pair> pair_of(const std::string& text, const std::string& flag) {
  const size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0) {
    return Status(Code::invalid_argument, flag + " needs KEY=VALUE, not `" + text + "`");
  }
  return Pair{text.substr(0, equals), text.substr(equals + 1)};
}

Status add_environment(const JobFlags& flags, const std::map<std::string, std::string>& environment,
                       std::vector<Override>& overrides) {
  for (const std::string& text : flags.env) {
    if (text.empty()) return Status(Code::invalid_argument, "--env needs K=V, or the name of a variable of this shell");
    Pair variable{text, ""};
    if (text.find('=') == std::string::npos) {
      if (!environment.contains(text)) continue;
      // Written as a reference: a token is not stored in the job, and is shown as *** (secrets.h).
      variable.value = "{from: " + json_quoted("env:" + text) + "}";
    } else {
      auto pair = pair_of(text, "--env");
      if (!pair.ok()) return pair.status();
      variable = *pair;
    }
    overrides.push_back({"env." + variable.key, variable.value, "--env"});
  }
  return {};
}

}  // namespace

std::vector<std::string> absent_variables(const JobFlags& flags,
                                          const std::map<std::string, std::string>& environment) {
  std::vector<std::string> absent;
  for (const std::string& text : flags.env) {
    if (text.find('=') == std::string::npos && !environment.contains(text)) absent.push_back(text);
  }
  return absent;
}

void erase_flag_variables(std::map<std::string, std::string>& environment) {
  const JobFlags flags;
  for (const JobFlags::Mirror& mirror : flags.mirrors) environment.erase(mirror.variable);
  environment.erase("MUSTER_HOSTFILE");
}

std::string in_typed_words(const std::string& message, const JobFlags& flags) {
  const size_t advice = message.rfind("; ");
  if (advice == std::string::npos) return message;
  std::string text = message.substr(advice);
  for (const JobFlags::Mirror& mirror : flags.mirrors) {
    const bool size = mirror.key == "nodes" || mirror.key.starts_with("worker");
    if (mirror.value && size) rename(text, mirror.key, name_as_typed(mirror.names, flags.typed));
  }
  return message.substr(0, advice) + text;
}

Result<std::vector<Override>> overrides_of(const JobFlags& flags,
                                           const std::map<std::string, std::string>& environment) {
  std::vector<Override> overrides;
  for (const JobFlags::Mirror& mirror : flags.mirrors) {
    const auto variable = environment.find(mirror.variable);
    const bool given = variable != environment.end() && !variable->second.empty();
    if (given && !mirror.value) overrides.push_back({mirror.key, variable->second, mirror.variable});
  }
  for (const JobFlags::Mirror& mirror : flags.mirrors) {
    if (!mirror.value) continue;
    overrides.push_back({mirror.key, *mirror.value, name_as_typed(mirror.names, flags.typed)});
  }
  if (flags.hold) overrides.push_back({"hold", "true", "--hold"});
  if (flags.space) overrides.push_back({"kubernetes.namespace", *flags.space, "--namespace"});
  if (const Status added = add_environment(flags, environment, overrides); !added.ok()) return added;
  for (const std::string& text : flags.labels) {
    const auto pair = pair_of(text, "--label");
    if (!pair.ok()) return pair.status();
    overrides.push_back({"labels." + pair->key, pair->value, "--label"});
  }
  for (const std::string& text : flags.set) {
    const auto pair = pair_of(text, "--set");
    if (!pair.ok()) return pair.status();
    overrides.push_back({pair->key, pair->value, "--set " + pair->key});
  }
  return overrides;
}

}  // namespace muster
