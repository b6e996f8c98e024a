// SPDX-License-Identifier: Apache-2.0
// The target of a link to another machine, and how both ends authenticate.
#pragma once

#include <optional>
#include <string>

#include "core/base/endpoint.h"
#include "core/base/text.h"

namespace muster {

// The identity of one end and the authority that it trusts, for mutual TLS. PEM texts.
struct TlsIdentity {
  std::string authority;    // the certificate that signed the certificates of both ends
  std::string certificate;  // of this end
  std::string key;          // its private key: a secret
};

// The name in every certificate: hosts authenticate by their key, not by their name.
constexpr const char* kTlsName = "muster";

struct TcpTarget {
  Endpoint endpoint;
  std::optional<TlsIdentity> tls;  // nothing: no authentication; anyone who reaches the port may connect

  std::string text() const { return host_port(endpoint.address, endpoint.port); }
};

}  // namespace muster
