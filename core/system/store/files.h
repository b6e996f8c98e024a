// What the store does with files and folders, in one place: how a file appears at once or not at all, how a tree is
// removed without following a link out of it. Part of adapter/store only. Any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace muster::store {

// The failure of writing below `folder`. A full disk or quota becomes resource_exhausted with the folder and what
// is free.
Status write_failure(int error_number, const std::string& folder);

// 0700, parents too; fine when it is there.
Status make_folders(const std::string& folder);

// Makes the names in `folder` durable.
Status sync_folder(const std::string& folder);

// Tells the file system that the folders in this one have nothing to do with each other (chattr(1), T). ext4 then puts each
// where there is room: near a folder from which much was deleted in the last minutes, a new file takes it 0.4 ms. A hint:
// other file systems refuse it.
void spread_folders(const std::string& folder);

// Makes a file's content durable; fine when there is none.
Status sync_file(const std::string& path);

// A name that is one path element and means nothing to the file system: letters, digits and `._-`, not first `.`
// or `-`, at most 128 bytes.
bool is_plain_name(std::string_view name);

// The whole file; a symbolic link is refused. not_found when there is none; resource_exhausted above `limit`
// bytes.
Result<std::string> read_file(const std::string& path, uint64_t limit);

// folder/name with `content`, 0600, replaced at once: a reader sees the old or the new. Not synced.
Status replace_file(const std::string& folder, const std::string& name, std::string_view content);

// Removes what replace_file() left in `folder` when its process was killed inside. Only for who alone writes there.
void remove_half_written(const std::string& folder);

// Removes folder/name with everything below; links are removed, not followed. Fine when it is gone. Goes on past
// what cannot be removed and reports the first.
Status remove_tree(const std::string& folder, const std::string& name);

}  // namespace muster::store
