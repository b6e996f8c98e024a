// What is said to an ssh that shares its connection, and what it answers (OpenSSH's PROTOCOL.mux, version 4, which all have had since
// 5.4). Pure.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace muster::ssh {

// The greeting, and the wish for a session with this command, behind which its stdin, stdout and stderr follow. Of the environment ssh
// sends on what its configuration names (SendEnv).
std::string session_wish(const std::string& command, const std::map<std::string, std::string>& environment);

struct MasterWord {
  enum class Kind {
    stranger,  // speaks another version, or what is none
    opened,
    refused,  // no session
    exited,
    other,
  };
  Kind kind = Kind::other;
  int code = 0;  // of exited
};

// Takes the first message from what came; nothing: it is not all there.
std::optional<MasterWord> take_master_word(std::string& came);

}  // namespace muster::ssh
