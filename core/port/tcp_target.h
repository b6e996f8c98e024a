// Where a link goes that leaves this machine, and how its ends know each other.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/base/text.h"

namespace muster {

// Who one end is, and whom it takes for a friend: PEM texts, for mutual TLS.
struct TlsIdentity {
  std::string authority;    // the certificate that both ends' certificates are signed by
  std::string certificate;  // ours
  std::string key;          // its private key: a secret
};

// The name in every certificate: hosts are told apart by what they know, not by what they are called.
constexpr const char* kTlsName = "muster";

struct TcpTarget {
  std::string address;  // numeric
  uint16_t port = 0;
  std::optional<TlsIdentity> tls;  // nothing: whoever reaches the port may talk

  std::string text() const { return host_port(address, port); }
};

}  // namespace muster
