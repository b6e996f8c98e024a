// SPDX-License-Identifier: Apache-2.0
#include "backends/kubernetes/cluster/kubectl_words.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>

#include "core/base/text.h"
#include "core/job/errors/explain.h"

namespace muster {
namespace {

bool has(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

// The text between `before` and `after`; empty: not found.
std::string_view between(std::string_view text, std::string_view before, std::string_view after) {
  const size_t begin = text.find(before);
  if (begin == std::string_view::npos) return "";
  const size_t end = text.find(after, begin + before.size());
  if (end == std::string_view::npos) return "";
  return text.substr(begin + before.size(), end - begin - before.size());
}

std::string quoted(std::string_view text) { return "`" + std::string(text) + "`"; }

std::string in_space(std::string_view space) { return space.empty() ? "" : " in the namespace " + quoted(space); }

using Reading = std::optional<Status> (*)(const ClusterPlace& place, std::string_view said);

std::optional<Status> no_context(const ClusterPlace& place, std::string_view said) {
  const bool named = has(said, "context was not found") || (has(said, "context ") && has(said, "does not exist")) ||
                     has(said, "cannot locate context");
  if (named)
    return explained(
        Code::invalid_argument,
        "kubectl has no context " + quoted(place.context) + "; kubectl config get-contexts lists the contexts",
        "E1652");
  if (has(said, "localhost:8080") || has(said, "no configuration has been provided"))
    return explained(
        Code::unavailable,
        "kubectl has no cluster configured; set KUBECONFIG, or choose a context: kubectl config use-context "
        "NAME",
        "E1652");
  if (!has(said, "error loading config file") && !has(said, "invalid configuration")) return std::nullopt;
  return explained(
      Code::invalid_argument,
      "kubectl cannot read its configuration: " + std::string(said) + "; check it with kubectl config view", "E1652");
}

std::optional<Status> no_credentials(const ClusterPlace&, std::string_view said) {
  if (has(said, "getting credentials"))
    return explained(Code::unauthenticated,
                     "kubectl cannot get credentials: " + std::string(said.substr(said.find("getting credentials"))) +
                         "; log in to your cluster, then check with kubectl auth whoami",
                     "E1654");
  if (!has(said, "Unauthorized") && !has(said, "must be logged in") &&
      !has(said, "asked for the client to provide credentials"))
    return std::nullopt;
  return explained(
      Code::unauthenticated,
      "the cluster rejects your credentials: they are missing or expired; log in again, then check with kubectl auth "
      "whoami",
      "E1654");
}

std::optional<Status> no_answer(const ClusterPlace&, std::string_view said) {
  constexpr std::array<std::string_view, 17> kSigns = {
      "Unable to connect to the server", "was refused - did you specify", "i/o timeout", "no such host",
      "TLS handshake timeout", "connection refused", "context deadline exceeded", "no route to host",
      "connection reset by peer", "etcdserver: ", "(Timeout)", "(ServiceUnavailable)", "unable to handle the request",
      "storage is (re)initializing", "http2: client connection lost", "unexpected EOF",
      // A freshly started API server does not yet know all its resources.
      "could not find the requested resource"};
  if (std::none_of(kSigns.begin(), kSigns.end(), [&](std::string_view sign) { return has(said, sign); }))
    return std::nullopt;
  // The webhook does not answer, not the API server.
  if (has(said, "failed calling webhook")) return std::nullopt;
  constexpr std::string_view kHead = "Unable to connect to the server: ";
  const std::string_view why = said.starts_with(kHead) ? said.substr(kHead.size()) : said;
  return explained(
      Code::unavailable,
      "the cluster's API server does not answer: " + std::string(why) + "; check it with kubectl cluster-info",
      "E1653");
}

std::optional<Status> quota(const ClusterPlace&, std::string_view said) {
  if (!has(said, "exceeded quota")) return std::nullopt;
  return explained(Code::resource_exhausted,
                   "this job does not fit into a quota: " + std::string(said.substr(said.find("exceeded quota"))) +
                       "; kubectl describe resourcequota shows the usage; nothing was created",
                   "E1659");
}

// pods "x" is forbidden: User "jane" cannot create resource "pods/exec" in API group "" in the namespace "default"
std::optional<Status> right_missing(const ClusterPlace&, std::string_view said) {
  const std::string_view verb = between(said, " cannot ", " resource ");
  if (!has(said, "forbidden: User ") || verb.empty()) return std::nullopt;
  const std::string_view user = between(said, "User \"", "\"");
  const std::string_view resource = between(said, " resource \"", "\"");
  const std::string_view group = between(said, "in API group \"", "\"");
  const std::string_view space = between(said, "in the namespace \"", "\"");
  const std::string what = std::string(resource) + (group.empty() ? "" : "." + std::string(group));
  return explained(Code::permission_denied,
                   quoted(user) + " may not " + std::string(verb) + " " + what + in_space(space) +
                       "; ask your administrator for the verb " + quoted(verb) + " on " + quoted(what) +
                       in_space(space),
                   "E1655");
}

std::optional<Status> no_space(const ClusterPlace&, std::string_view said) {
  if (!has(said, "namespaces \"") || !has(said, "not found")) return std::nullopt;
  return explained(Code::not_found,
                   "the cluster has no namespace " + quoted(between(said, "namespaces \"", "\"")) +
                       "; kubectl get namespaces lists the namespaces",
                   "E1656");
}

std::optional<Status> no_job_set(const ClusterPlace&, std::string_view said) {
  const bool no_kind =
      has(said, "no matches for kind \"JobSet\"") || has(said, "doesn't have a resource type \"jobsets\"");
  if (has(said, "jobset") && has(said, "failed calling webhook"))
    return explained(Code::failed_precondition,
                     "the cluster has JobSet, but its controller does not answer: " + std::string(said) +
                         "; kubectl -n jobset-system get pods shows why; nothing was created",
                     "E1657");
  if (!no_kind) return std::nullopt;
  return explained(
      Code::failed_precondition,
      "JobSet is not installed in the cluster; an administrator installs it once: kubectl apply --server-side -f "
      "https://github.com/kubernetes-sigs/jobset/releases/latest/download/manifests.yaml",
      "E1657");
}

std::optional<Status> no_trainer(const ClusterPlace&, std::string_view said) {
  if (!has(said, "doesn't have a resource type") || !has(said, "trainingruntimes\"")) return std::nullopt;
  return explained(
      Code::failed_precondition,
      "Kubeflow Trainer is not installed in the cluster, so it has no runtimes; leave --cluster-runtimes out to "
      "use those that muster has: muster runtimes --all lists them",
      "E1664");
}

std::string_view text_after(std::string_view said, std::string_view head) {
  const size_t at = said.find(head);
  return at == std::string_view::npos ? said : said.substr(at + head.size());
}

std::optional<Status> by_webhook(const ClusterPlace&, std::string_view said) {
  if (has(said, "failed calling webhook"))
    return explained(Code::unavailable,
                     "a webhook of the cluster does not answer, so nothing can be created: " + std::string(said) +
                         "; ask your administrator",
                     "E1658");
  if (!has(said, "denied the request")) return std::nullopt;
  const std::string why(text_after(said, "denied the request: "));
  // JobSet's own webhook validates the object.
  if (has(said, "jobset.kb.io\""))
    return explained(Code::invalid_argument, "JobSet refuses this job: " + why + "; nothing was created", "E1660");
  return explained(Code::resource_exhausted,
                   "the cluster's policy refuses this job: " + why + " (webhook " +
                       std::string(between(said, "webhook \"", "\"")) + "); nothing was created",
                   "E1658");
}

std::optional<Status> by_policy(const ClusterPlace&, std::string_view said) {
  if (!has(said, " is forbidden: ")) return std::nullopt;
  return explained(Code::resource_exhausted,
                   "the cluster's policy refuses this: " + std::string(text_after(said, " is forbidden: ")) +
                       "; ask your administrator",
                   "E1658");
}

std::optional<Status> name_taken(const ClusterPlace&, std::string_view said) {
  if (!has(said, "already exists")) return std::nullopt;
  const std::string_view name = between(said, "\" ", "").empty() ? between(said, "k8s.io \"", "\"") : "";
  const std::string_view plain = name.empty() ? between(said, " \"", "\" already exists") : name;
  return explained(Code::already_exists,
                   "the namespace already has " + quoted(plain) + "; choose another --name, or remove it: muster rm " +
                       std::string(plain) + " --backend kubernetes; nothing was created",
                   "E1661");
}

std::optional<Status> invalid(const ClusterPlace&, std::string_view said) {
  const bool by_schema = has(said, " is invalid: ");
  if (!by_schema && !has(said, "cannot be handled as a") && !has(said, "strict decoding error")) return std::nullopt;
  const std::string why(by_schema ? text_after(said, " is invalid: ") : text_after(said, "strict decoding error: "));
  return explained(Code::invalid_argument, "the cluster rejects this job: " + why + "; nothing was created", "E1660");
}

std::optional<Status> too_old(const ClusterPlace&, std::string_view said) {
  if (!has(said, "unknown flag") && !has(said, "unknown shorthand") && !has(said, "unknown command"))
    return std::nullopt;
  return explained(Code::unimplemented,
                   "this kubectl is too old for muster: " + std::string(said) +
                       "; use 1.27 or newer, at most one minor version from "
                       "the cluster's (kubectl version)",
                   "E1662");
}

std::optional<Status> absent(const ClusterPlace&, std::string_view said) {
  if (!has(said, "(NotFound)") && !has(said, " not found")) return std::nullopt;
  return Status(Code::not_found, "the cluster says: " + std::string(text_after(said, "(NotFound): ")));
}

// The first that recognises the message decides.
constexpr std::array<Reading, 14> kReadings = {no_context, no_credentials, no_job_set, no_trainer, no_answer,
                                               quota,      right_missing,  no_space,   by_webhook, name_taken,
                                               invalid,    by_policy,      too_old,    absent};

std::string shortened(std::string text) {
  constexpr size_t kMost = 600;
  if (text.size() <= kMost) return text;
  text.resize(kMost);
  text.resize(kMost - begun_character(text));
  return text + "…";
}

std::string trimmed(std::string_view text) {
  constexpr std::string_view kBlank = " \r\t";
  const size_t begin = text.find_first_not_of(kBlank);
  if (begin == std::string_view::npos) return "";
  return std::string(text.substr(begin, text.find_last_not_of(kBlank) + 1 - begin));
}

// The lines that are neither log lines, warnings nor hints of kubectl.
std::vector<std::string> telling_lines(std::string_view errors) {
  std::vector<std::string> lines;
  for (const std::string& untrimmed : split(errors, '\n')) {
    std::string line = trimmed(untrimmed);
    if (line.empty() || is_kubectl_log_line(line)) continue;
    if (line.starts_with("Warning: ") || line.starts_with("command terminated with exit code")) continue;
    if (line.starts_with("ensure CRDs are installed") || line.starts_with("See 'kubectl")) continue;
    lines.push_back(std::move(line));
  }
  return lines;
}

// The last different lines as one. A prompt may have several, such as an address and a code. kubectl calls a plugin that fails several
// times.
std::string joined_end(const std::vector<std::string>& all) {
  constexpr size_t kMost = 4;
  std::vector<std::string> lines;
  for (const std::string& line : all)
    if (std::find(lines.begin(), lines.end(), line) == lines.end()) lines.push_back(line);
  if (lines.size() > kMost) lines.erase(lines.begin(), lines.end() - kMost);
  return shortened(join(lines, " "));
}

// If a credential plugin failed, its reason is in the lines before that of kubectl.
std::string with_plugin_lines(const std::string& said, std::string_view errors) {
  std::vector<std::string> lines = telling_lines(errors);
  if (lines.size() < 2 || !has(said, "getting credentials")) return said;
  lines.pop_back();
  std::string end = joined_end(lines);
  if (end.ends_with('.')) end.pop_back();
  return said + ": " + end;
}

std::string without_head(std::string_view line) {
  for (const std::string_view head : {"error: ", "Error: ", "Error in configuration: "}) {
    if (line.starts_with(head)) return std::string(line.substr(head.size()));
  }
  return std::string(line);
}

}  // namespace

std::vector<std::string> kubectl_arguments(const ClusterPlace& place, const std::vector<std::string>& words) {
  std::vector<std::string> arguments;
  if (!place.context.empty()) arguments.push_back("--context=" + place.context);
  if (!place.space.empty()) arguments.push_back("--namespace=" + place.space);
  arguments.insert(arguments.end(), words.begin(), words.end());
  return arguments;
}

bool is_kubectl_log_line(std::string_view line) {
  constexpr size_t kHead = 5;
  return line.size() > kHead && std::string_view("EWIF").find(line[0]) != std::string_view::npos &&
         std::all_of(line.begin() + 1, line.begin() + kHead, [](char c) { return std::isdigit(c) != 0; }) &&
         line.find("] ") != std::string_view::npos;
}

std::string kubectl_sentence(std::string_view errors) {
  const std::vector<std::string> lines = telling_lines(errors);
  return lines.empty() ? "" : without_head(shortened(lines.back()));
}

Status kubectl_is_late(const std::string& command, Duration patience, std::string_view errors) {
  const std::string sentence = "kubectl " + command + " did not finish within " + humane_duration(patience);
  const std::string printed = joined_end(telling_lines(errors));
  if (printed.empty())
    return explained(Code::unavailable,
                     sentence + "; the cluster's API server may be slow or down: check it with kubectl cluster-info",
                     "E1653");
  return explained(Code::unavailable,
                   sentence + "; it printed: " + printed +
                       "; if it waits for a login, log in at a terminal first: kubectl auth whoami",
                   "E1654");
}

Status kubectl_trouble(const ClusterPlace& place, int code, std::string_view errors) {
  const std::string said = with_plugin_lines(kubectl_sentence(errors), errors);
  for (const Reading reading : kReadings) {
    if (std::optional<Status> status = reading(place, said)) return *status;
  }
  const std::string how =
      code > 128 ? "was killed by signal " + std::to_string(code - 128) : "exited with code " + std::to_string(code);
  return {Code::unknown, "kubectl " + how + (said.empty() ? " and printed nothing" : ": " + said)};
}

}  // namespace muster
