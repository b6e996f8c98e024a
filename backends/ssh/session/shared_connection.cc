// SPDX-License-Identifier: Apache-2.0
#include "backends/ssh/session/shared_connection.h"

#include <sys/un.h>

#include <algorithm>
#include <string_view>

#include "backends/ssh/session/packed_program.h"
#include "core/base/text.h"

namespace muster::ssh {
namespace {

constexpr size_t kNameLetters = 12;
constexpr size_t kTemporary = 18;  // length of the suffix that ssh adds to the name until it listens

// ssh splits at spaces and expands % and ${ }.
bool is_plain(std::string_view path) {
  return std::all_of(path.begin(), path.end(), [](unsigned char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("/_.-").find(static_cast<char>(c)) != std::string_view::npos;
  });
}

// `configuration` is the output of `ssh -G`. Without sharing it has "controlpath none" or no such line.
bool shares_by_itself(const std::string& configuration) {
  for (const std::string& line : split(configuration, '\n')) {
    if (line.starts_with("controlpath ") && line != "controlpath none") return true;
  }
  return false;
}

}  // namespace

std::vector<std::string> configuration_arguments(const std::string& host) { return {"-T", "-G", "--", host}; }

std::string shared_socket(const std::string& folder, const std::string& host, const std::string& configuration) {
  if (folder.empty() || configuration.empty() || !is_plain(folder) || shares_by_itself(configuration)) return "";
  const std::string path = folder + "/ssh-" + text_hash(host + "\n" + configuration).substr(0, kNameLetters);
  return path.size() + kTemporary < sizeof(sockaddr_un::sun_path) ? path : "";
}

std::vector<std::string> sharing_options(const std::string& socket) {
  if (socket.empty()) return {};
  return {"-o", "ControlMaster=auto", "-o", "ControlPath=" + socket, "-o", "ControlPersist=60"};
}

}  // namespace muster::ssh
