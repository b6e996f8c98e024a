// Identities for mutual TLS, made from a secret that both ends know: whoever has the token has the authority's key, and
// nobody else can sign a certificate that it made. The token itself never travels.
//
// Any thread.
#pragma once

#include <string>

#include "core/base/result.h"
#include "core/port/tcp_target.h"

namespace muster {

// A shorter token could be guessed from one handshake that somebody watched.
constexpr size_t kShortestToken = 16;

// An identity of this process: a fresh key under the authority that `token` (PBKDF2, 0.1 s of work) stands for. `purpose` parts
// the uses of one token. invalid_argument: the token is too short.
Result<TlsIdentity> identity_from_token(const std::string& token, const std::string& purpose);

}  // namespace muster
