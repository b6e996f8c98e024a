// SPDX-License-Identifier: Apache-2.0
// Messages to and from an ssh process that shares its connection: OpenSSH's PROTOCOL.mux, version 4 (OpenSSH 5.4 and later). Pure.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace muster::ssh {

// The hello message and the request for a session with this command. After it, the client sends the descriptors for stdin, stdout and
// stderr. ssh forwards those variables of the environment that its configuration names (SendEnv).
std::string session_request(const std::string& command, const std::map<std::string, std::string>& environment);

struct MasterWord {
  enum class Kind {
    unknown,  // another version or another protocol
    opened,
    refused,  // no session was opened
    exited,
    other,
  };
  Kind kind = Kind::other;
  int code = 0;  // `exited`: the exit code
};

// Removes the first message from `came`; nullopt: it is incomplete.
std::optional<MasterWord> take_master_word(std::string& came);

}  // namespace muster::ssh
