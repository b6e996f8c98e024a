// This program, as hosts get it: known by what it contains, sent compressed. Any thread; blocks while it reads the file.
#pragma once

#include <string>

#include "core/base/result.h"

namespace muster::ssh {

// Of a text, and of a file's content: 32 hexadecimal digits of its SHA-256.
std::string text_hash(const std::string& text);
Result<std::string> content_hash(const std::string& path);

// The file as gzip packs it (RFC 1952).
Result<std::string> packed(const std::string& path);

}  // namespace muster::ssh
