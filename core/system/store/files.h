// SPDX-License-Identifier: Apache-2.0
// File operations of the store: replacing files atomically, removing trees without following links. Used only in
// core/system/store. Any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/system/posix/write_failure.h"

namespace muster::store {

using muster::write_failure;

// Creates the folder and its parents with mode 0700. OK if it exists.
Status make_folders(const std::string& folder);

// Makes the entries of `folder` durable (fsync).
Status sync_folder(const std::string& folder);

// Tells the file system that the subfolders of `folder` are unrelated (chattr(1), T), so that ext4 spreads them over the
// disk. Creating a file near a folder from which much was deleted recently takes ext4 0.4 ms. Only a hint; other file
// systems ignore it.
void spread_folders(const std::string& folder);

// Makes a file's content durable (fsync). OK if the file does not exist.
Status sync_file(const std::string& path);

// Whether the name is a safe path element: letters, digits and `._-`, not beginning with `.` or `-`, at most 128 bytes.
bool is_plain_name(std::string_view name);

// Reads the whole file; fails for a symbolic link. not_found: no such file. resource_exhausted: more than `limit` bytes.
Result<std::string> read_file(const std::string& path, uint64_t limit);

// Writes folder/name atomically, with mode 0600: a reader sees the old or the new content. Not synced.
Status replace_file(const std::string& folder, const std::string& name, std::string_view content);

// Truncates the file, which needs no free space. False: there is no such file, or it cannot be written.
bool empty_file(const std::string& path);

// Removes temporary files that replace_file() left in `folder` because its process was killed. Only for the process that
// alone writes to the folder.
void remove_half_written(const std::string& folder);

// Removes folder/name with everything below it. Links are removed, not followed. OK if it does not exist. If an entry
// cannot be removed, continues with the others and returns the first error.
Status remove_tree(const std::string& folder, const std::string& name);

}  // namespace muster::store
