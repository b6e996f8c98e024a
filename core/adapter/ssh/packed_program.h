// This program, as hosts get it: known by what it contains, sent compressed. Any thread; blocks while it reads the file.
#pragma once

#include <string>

#include "core/adapter/ssh/own_libraries.h"
#include "core/base/result.h"

namespace muster::ssh {

// Of a text, and of a file's content: 32 hexadecimal digits of its SHA-256.
std::string text_hash(const std::string& text);
Result<std::string> content_hash(const std::string& path);

// The file as gzip packs it (RFC 1952).
Result<std::string> packed(const std::string& path);

// What host_script.h reads when it has asked for libraries: of each its name and the length of its packed file on a line, and that; then a
// line with a dot.
Result<std::string> libraries_for_hosts(const std::vector<OwnLibrary>& libraries);

}  // namespace muster::ssh
