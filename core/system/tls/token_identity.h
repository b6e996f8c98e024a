// SPDX-License-Identifier: Apache-2.0
// Identities for mutual TLS, derived from a token that both ends know. The key of the certificate authority is derived from
// the token, so only processes with the token can sign certificates that the others accept. The token itself is never
// sent.
//
// Any thread.
#pragma once

#include <string>

#include "core/base/result.h"
#include "core/port/tcp_target.h"

namespace muster {

// A shorter token could be guessed from a recorded handshake.
constexpr size_t kShortestToken = 16;

// Creates an identity for this process: a new key, certified by the authority derived from `token` (PBKDF2, takes 0.1 s).
// Identities with different `purpose` do not accept each other. invalid_argument: the token is too short.
Result<TlsIdentity> identity_from_token(const std::string& token, const std::string& purpose);

}  // namespace muster
