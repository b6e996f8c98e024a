// SPDX-License-Identifier: Apache-2.0
// Hashes and compresses this program for hosts. Any thread; blocks while it reads and compresses.
#pragma once

#include <string>

#include "core/base/result.h"
#include "core/system/linux/own_libraries.h"

namespace muster::ssh {

// The first 32 hexadecimal digits of the SHA-256 of a text, and of a file's content.
std::string text_hash(const std::string& text);
Result<std::string> content_hash(const std::string& path);

Result<std::string> whole_file(const std::string& path);

// A hash of this program made without reading its file: of the linker's build ID and the length of `path`, its file. Without a build
// ID: the hash of the content.
Result<std::string> program_hash(const std::string& path);

// The file, compressed with gzip.
Result<std::string> packed(const std::string& path);

// The file, compressed with gzip or zstd. It is kept as FOLDER/HASH.gz or FOLDER/HASH.zst, so that each build is compressed once. Of the
// other files in the folder, the three that were used last stay.
enum class Packing { gzip, zstd };
Result<std::string> packed_once(const std::string& path, const std::string& folder, const std::string& hash,
                                Packing packing = Packing::gzip);

// The answer to a request for libraries of the script (host_script.h). For each library: a line with its name and the length of its
// compressed file, then that file. At the end: a line with a dot.
Result<std::string> libraries_for_hosts(const std::vector<OwnLibrary>& libraries);

}  // namespace muster::ssh
