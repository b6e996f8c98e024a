#include "core/adapter/store/file_output_keeper.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include "core/adapter/asio/unique_fd.h"
#include "core/adapter/store/files.h"
#include "core/adapter/store/output_extent.h"

namespace muster {

uint64_t FileOutputKeeper::size(const std::string& path) const { return store::file_size(path); }

Status FileOutputKeeper::append(const std::string& path, std::string_view bytes) {
  const std::string folder = std::filesystem::path(path).parent_path();
  const UniqueFd fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!fd.valid()) return store::write_failure(errno, folder);
  const ssize_t count = ::write(fd.get(), bytes.data(), bytes.size());
  if (count == static_cast<ssize_t>(bytes.size())) return Status();
  return store::write_failure(count < 0 ? errno : ENOSPC, folder);
}

Result<uint64_t> FileOutputKeeper::drop_before(const std::string& path, uint64_t offset) {
  return store::drop_before(path, offset);
}

}  // namespace muster
