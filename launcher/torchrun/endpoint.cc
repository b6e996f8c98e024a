#include "launcher/torchrun/endpoint.h"

#include <cctype>

#include "core/base/text.h"
#include "launcher/torchrun/python_text.h"

namespace muster {
namespace {

constexpr size_t kLongestPort = 5;
constexpr unsigned long kHighestPort = 65535;

std::string stripped(const std::string& text) {
  const size_t begin = text.find_first_not_of(" \t\r\n");
  return begin == std::string::npos ? "" : text.substr(begin, text.find_last_not_of(" \t\r\n") + 1 - begin);
}

bool is_port(const std::string& text) {
  if (text.empty() || text.size() > kLongestPort) return false;
  return text.find_first_not_of("0123456789") == std::string::npos && std::stoul(text) <= kHighestPort;
}

// Letters of other alphabets are names, too.
bool is_host(const std::string& text) {
  if (text.empty()) return false;
  for (const unsigned char c : text) {
    if (c < 0x80 && std::isalnum(c) == 0 && std::string("_.:-").find(static_cast<char>(c)) == std::string::npos)
      return false;
  }
  return true;
}

}  // namespace

Status check_endpoint(const std::string& text) {
  const std::string endpoint = stripped(text);
  if (endpoint.empty()) return {};
  const bool bare_v6 = endpoint.front() == '[' && endpoint.back() == ']';
  const size_t colon = bare_v6 ? std::string::npos : endpoint.rfind(':');
  std::string host = endpoint.substr(0, colon);
  if (host.size() > 1 && host.front() == '[' && host.back() == ']') host = host.substr(1, host.size() - 2);
  if (colon != std::string::npos && !is_port(endpoint.substr(colon + 1))) {
    return {Code::invalid_argument,
            "--rdzv-endpoint `" + escaped(text) + "`: behind the colon stands a port from 0 to 65535"};
  }
  if (is_host(host)) return {};
  return {Code::invalid_argument,
          "--rdzv-endpoint `" + escaped(text) + "` wants HOST:PORT, with a name or a numeric address in front"};
}

Status check_rendezvous_conf(const std::string& text) {
  if (stripped(text).empty()) return {};
  for (const std::string& pair : split(text, ',')) {
    const size_t equals = pair.find('=');
    const std::string key = stripped(pair.substr(0, equals));
    const std::string value = equals == std::string::npos ? "" : stripped(pair.substr(equals + 1));
    if (!key.empty() && !value.empty()) continue;
    return {Code::invalid_argument,
            "--rdzv-conf wants key=value pairs parted by commas; `" + escaped(pair) + "` is none"};
  }
  return {};
}

}  // namespace muster
