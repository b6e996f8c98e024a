// This program, as hosts get it: known by what it contains, sent compressed. Any thread; blocks while it reads and
// packs.
#pragma once

#include <string>

#include "core/base/result.h"
#include "core/system/linux/own_libraries.h"

namespace muster::ssh {

// Of a text, and of a file's content: 32 hexadecimal digits of its SHA-256.
std::string text_hash(const std::string& text);
Result<std::string> content_hash(const std::string& path);

Result<std::string> whole_file(const std::string& path);

// Of this program, without reading it: what the linker made of all that it linked (its build ID), and the length of `path`, its file. Where
// it has no build ID, of its content.
Result<std::string> program_hash(const std::string& path);

// The file, compressed with gzip.
Result<std::string> packed(const std::string& path);

// The file, compressed with gzip or zstd. It is kept as FOLDER/HASH.gz or FOLDER/HASH.zst, so that each build is compressed once. Three
// other files stay in the folder, those that were used last.
enum class Packing { gzip, zstd };
Result<std::string> packed_once(const std::string& path, const std::string& folder, const std::string& hash,
                                Packing packing = Packing::gzip);

// What host_script.h reads when it has asked for libraries: of each its name and the length of its packed file on a line, and that; then a
// line with a dot.
Result<std::string> libraries_for_hosts(const std::vector<OwnLibrary>& libraries);

}  // namespace muster::ssh
