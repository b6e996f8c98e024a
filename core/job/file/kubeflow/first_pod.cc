// SPDX-License-Identifier: Apache-2.0
#include "core/job/file/kubeflow/first_pod.h"

#include <algorithm>
#include <cctype>

#include "core/base/text.h"
#include "core/job/file/kubeflow/pod_variables.h"
#include "core/job/file/kubeflow/tree/node_tools.h"
#include "core/job/file/kubeflow/tree/references.h"

namespace muster {
namespace {

constexpr std::string_view kAddress = "${master_address}";
// The characters that can stand before and after a host name without a domain.
constexpr std::string_view kBefore = "/= '\"@,;([|&<>\t\n";
constexpr std::string_view kAfter = " '\",;)]|&<>\t\n";
// Commands have no templates: a shell of the rank fills in this variable.
constexpr const char* kVariable = "FIRST_POD_ADDRESS";

bool is_of_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_'; }

bool begins_name(std::string_view text, size_t at) {
  return at == 0 || (!is_of_name(text[at - 1]) && text[at - 1] != '.');
}

bool ends_name(std::string_view rest) {
  if (rest.empty()) return true;
  return !is_of_name(rest[0]) && (rest[0] != '.' || rest.size() == 1 || !is_of_name(rest[1]));
}

// Whether a host name without a domain can end before `rest`: with a port, which can be in a variable, and in an address
// also with a path.
bool ends_bare_name(std::string_view rest, bool in_url) {
  if (rest.empty() || kAfter.find(rest[0]) != std::string_view::npos) return true;
  if (rest[0] == '/') return in_url;
  if (rest[0] != ':' || rest.size() == 1) return false;
  constexpr std::string_view kPort = "0123456789$'\"";
  return rest[1] == kReferenceMark || kPort.find(rest[1]) != std::string_view::npos;
}

// The length of the host name at the start of `text`; 0: there is none. `in_url`: it is behind "//".
size_t length_at_start(std::string_view text, const FirstPod& first, bool in_url) {
  if (!text.starts_with(first.host)) return 0;
  size_t length = first.host.size();
  const auto take = [&](const std::string& part) {
    if (part.empty() || !text.substr(length).starts_with("." + part)) return false;
    length += part.size() + 1;
    return true;
  };
  const bool own_domain = take(first.subdomain);
  const bool has_domain = take(first.name_space) || own_domain;
  if (has_domain && take("svc")) {
    while (length < text.size() && (is_of_name(text[length]) || text[length] == '.')) ++length;
  }
  const std::string_view rest = text.substr(length);
  if (!ends_name(rest)) return 0;
  return has_domain || ends_bare_name(rest, in_url) ? length : 0;
}

// The text with the name replaced; `literal` rewrites the rest. nullopt: the name is not in it.
template <typename Literal>
std::optional<std::string> replaced(std::string_view text, const FirstPod& first, std::string_view by,
                                    const Literal& literal) {
  std::string result;
  size_t done = 0;
  for (size_t at = text.find(first.host); at != std::string_view::npos; at = text.find(first.host, at + 1)) {
    const std::string_view before = text.substr(0, at);
    const bool in_url = before.ends_with("//");
    const bool in_path = before.ends_with('/') && !in_url;
    const size_t length = at >= done && begins_name(text, at) ? length_at_start(text.substr(at), first, in_url) : 0;
    // Without a domain, only a text that begins with it, or an address in a URL, is the host's.
    const bool known = length > first.host.size() || at == 0 || kBefore.find(text[at - 1]) != std::string_view::npos;
    if (length == 0 || !known || (in_path && length == first.host.size())) continue;
    result += literal(text.substr(done, at - done));
    result += by;
    done = at + length;
  }
  if (done == 0) return std::nullopt;
  return result + literal(text.substr(done));
}

std::string as_it_is(std::string_view text) { return std::string(text); }

void replace_in_variables(Reading& reading, PodGroup& group, const FirstPod& first) {
  for (auto& [name, text] : group.templates) {
    if (auto found = replaced(text, first, kAddress, as_it_is)) text = std::move(*found);
  }
  std::erase_if(group.env.entries, [&](const YamlEntry& entry) {
    auto found = replaced(entry.value.text, first, kAddress, as_template);
    if (found) group.templates[entry.key] = std::move(*found);
    if (found && group.secrets.contains(entry.key))
      note_secret(reading, entry.value.where,
                  "`" + escaped(entry.key) + "` has a value of a Secret with the name of the first pod, and becomes",
                  "put the address into a variable of its own");
    return found.has_value();
  });
}

// The name of a pod in the text: "mnist-node-0-1", "mnist-worker-1"; empty: none.
std::string pod_in(std::string_view text, const PodNames& names) {
  const auto digits = [&](size_t from) { return std::min(text.find_first_not_of("0123456789", from), text.size()); };
  for (size_t at = text.find(names.prefix); at != std::string_view::npos; at = text.find(names.prefix, at + 1)) {
    const size_t first = at + names.prefix.size();
    size_t end = digits(first);
    if (end == first || !begins_name(text, at)) continue;
    if (names.one_index) {
      if (end == text.size() || !is_of_name(text[end])) return std::string(text.substr(at, end - at));
      continue;
    }
    if (end == text.size() || text[end] != '-') continue;
    const size_t second = end + 1;
    end = digits(second);
    if (end > second) return std::string(text.substr(at, end - at));
  }
  return "";
}

}  // namespace

void replace_host_name(Reading& reading, PodGroup& group, const FirstPod& first) {
  replace_in_variables(reading, group, first);
  for (YamlNode& word : group.command) {
    auto found = replaced(word.text, first, reference_to(kVariable), as_it_is);
    if (!found) continue;
    word.text = std::move(*found);
    group.added[kVariable] = kAddress;
  }
}

void note_other_pods(Reading& reading, const PodGroup& group, const PodNames& names) {
  if (reading.in_cluster() && !names.one_index) return;
  const std::string which = reading.in_cluster() ? "which no pod of this job has" : "which no host has";
  const auto note = [&](const std::string& text, const SourceRange& where) {
    const std::string pod = pod_in(text, names);
    if (!pod.empty())
      reading.note(where, "`" + escaped(pod) + "` is the host name of a pod, " + which +
                              ": muster replaces only that of the first pod; the others are in ${worker_addresses} of "
                              "a job file");
  };
  for (const YamlEntry& entry : group.env.entries) note(entry.value.text, entry.value.where);
  for (const auto& [name, text] : group.templates) note(text, group.where);
  for (const YamlNode& word : group.command) note(word.text, word.where);
}

}  // namespace muster
