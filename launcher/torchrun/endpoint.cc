// SPDX-License-Identifier: Apache-2.0
#include "launcher/torchrun/endpoint.h"

#include <cctype>

#include "core/base/text.h"
#include "launcher/torchrun/python_text.h"

namespace muster {
namespace {

constexpr size_t kLongestPort = 5;
constexpr unsigned long kHighestPort = 65535;

std::string stripped_endpoint(const std::string& text) {
  const size_t begin = text.find_first_not_of(" \t\r\n");
  return begin == std::string::npos ? "" : text.substr(begin, text.find_last_not_of(" \t\r\n") + 1 - begin);
}

bool is_port(const std::string& text) {
  if (text.empty() || text.size() > kLongestPort) return false;
  return text.find_first_not_of("0123456789") == std::string::npos && std::stoul(text) <= kHighestPort;
}

// Non-ASCII letters are allowed in names.
bool is_host(const std::string& text) {
  if (text.empty()) return false;
  for (const unsigned char c : text) {
    if (c < 0x80 && std::isalnum(c) == 0 && std::string("_.:-").find(static_cast<char>(c)) == std::string::npos)
      return false;
  }
  return true;
}

}  // namespace

HostPort split_endpoint(const std::string& text) {
  const std::string endpoint = stripped_endpoint(text);
  const bool bare_v6 = !endpoint.empty() && endpoint.front() == '[' && endpoint.back() == ']';
  const size_t colon = bare_v6 ? std::string::npos : endpoint.rfind(':');
  HostPort parts{endpoint.substr(0, colon), std::nullopt};
  std::string& host = parts.host;
  if (host.size() > 1 && host.front() == '[' && host.back() == ']') host = host.substr(1, host.size() - 2);
  const std::string port = colon == std::string::npos ? "" : endpoint.substr(colon + 1);
  if (is_port(port)) parts.port = static_cast<uint16_t>(std::stoul(port));
  return parts;
}

Status check_endpoint(const std::string& text) {
  const std::string endpoint = stripped_endpoint(text);
  if (endpoint.empty()) return {};
  const HostPort parts = split_endpoint(endpoint);
  const bool bare_v6 = endpoint.front() == '[' && endpoint.back() == ']';
  if (!bare_v6 && endpoint.rfind(':') != std::string::npos && !parts.port) {
    return {Code::invalid_argument,
            "--rdzv-endpoint `" + escaped(text) + "`: after the colon it needs a port from 0 to 65535"};
  }
  if (is_host(parts.host)) return {};
  return {Code::invalid_argument,
          "--rdzv-endpoint `" + escaped(text) + "` wants HOST:PORT, where HOST is a name or a numeric address"};
}

std::map<std::string, std::string> rendezvous_conf(const std::string& text) {
  std::map<std::string, std::string> pairs;
  for (const std::string& pair : stripped_endpoint(text).empty() ? std::vector<std::string>() : split(text, ',')) {
    const size_t equals = pair.find('=');
    if (equals != std::string::npos)
      pairs[stripped_endpoint(pair.substr(0, equals))] = stripped_endpoint(pair.substr(equals + 1));
  }
  return pairs;
}

Status check_rendezvous_conf(const std::string& text) {
  if (stripped_endpoint(text).empty()) return {};
  for (const std::string& pair : split(text, ',')) {
    const size_t equals = pair.find('=');
    const std::string key = stripped_endpoint(pair.substr(0, equals));
    const std::string value = equals == std::string::npos ? "" : stripped_endpoint(pair.substr(equals + 1));
    if (!key.empty() && !value.empty()) continue;
    return {Code::invalid_argument,
            "--rdzv-conf wants key=value pairs separated by commas; `" + escaped(pair) + "` is not such a pair"};
  }
  return {};
}

}  // namespace muster
