// SPDX-License-Identifier: Apache-2.0
#include "checkpoint.h"

#include <fcntl.h>
#include <unistd.h>
#include <zlib.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include "network.h"

namespace fm {
namespace {

struct Header {
  char magic[8];
  std::uint64_t step, batch, seed, floats;
  std::uint64_t checksum;  // CRC-32 of the members above and the state
};
constexpr char kMagic[8] = {'f', 'm', 'n', 'i', 's', 't', '1', '\n'};

std::uint64_t checksum(const Header& header, const char* state, std::size_t size) {
  const auto* const begin = reinterpret_cast<const Bytef*>(&header);
  const uLong first = crc32(0, begin, offsetof(Header, checksum));
  return crc32(first, reinterpret_cast<const Bytef*>(state), static_cast<uInt>(size));
}

[[noreturn]] void unwritten(const std::string& path) {
  throw std::runtime_error("cannot write checkpoint " + path + " (" + std::strerror(errno) +
                           "); choose another file with --checkpoint FILE");
}

[[noreturn]] void unread(const std::string& path, const std::string& why) {
  throw std::runtime_error("checkpoint " + path + " " + why +
                           "; choose another file with --checkpoint FILE, or move this one away to start anew");
}

void write_all(const std::string& path, const std::string& content) {
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file < 0) unwritten(path);
  for (std::size_t done = 0; done < content.size();) {
    const ssize_t count = write(file, content.data() + done, content.size() - done);
    if (count < 0 && errno != EINTR) {
      close(file);
      unwritten(path);
    }
    done += count > 0 ? static_cast<std::size_t>(count) : 0;
  }
  const int synced = fsync(file);  // otherwise the rename may reach the disk before the content
  if (close(file) != 0 || synced != 0) unwritten(path);
}

}  // namespace

void save_checkpoint(const std::string& path, const Checkpoint& checkpoint) {
  const std::size_t size = checkpoint.state.size() * sizeof(float);
  const char* const state = reinterpret_cast<const char*>(checkpoint.state.data());
  Header header{{}, checkpoint.step, checkpoint.batch, checkpoint.seed, checkpoint.state.size(), 0};
  std::memcpy(header.magic, kMagic, sizeof kMagic);
  header.checksum = checksum(header, state, size);
  std::error_code ignored;  // opening the file reports the error
  std::filesystem::create_directories(std::filesystem::path(path).parent_path(), ignored);
  write_all(path + ".partial",
            std::string(reinterpret_cast<const char*>(&header), sizeof header) + std::string(state, size));
  if (std::rename((path + ".partial").c_str(), path.c_str()) != 0) unwritten(path);
}

std::optional<Checkpoint> load_checkpoint(const std::string& path, std::uint64_t batch, std::uint64_t seed) {
  std::error_code error;
  if (!std::filesystem::exists(path, error)) return std::nullopt;
  std::ifstream file(path, std::ios::binary);
  const std::string content{std::istreambuf_iterator<char>(file), {}};
  if (!file) unread(path, "cannot be read");
  Header header{};
  std::memcpy(&header, content.data(), std::min(content.size(), sizeof header));
  if (std::memcmp(header.magic, kMagic, sizeof kMagic) != 0) unread(path, "is not a checkpoint of fashion_mnist");
  const std::size_t size = kState * sizeof(float);
  if (content.size() != sizeof header + size || header.floats != kState ||
      header.checksum != checksum(header, content.data() + sizeof header, size)) {
    unread(path, "is damaged: " + std::to_string(content.size()) + " bytes that do not fit their checksum");
  }
  if (header.batch != batch || header.seed != seed) {
    unread(path, "belongs to a run with --batch " + std::to_string(header.batch) + " --seed " +
                     std::to_string(header.seed) + ", but this run has --batch " + std::to_string(batch) + " --seed " +
                     std::to_string(seed));
  }
  Checkpoint checkpoint{header.step, header.batch, header.seed, std::vector<float>(kState)};
  std::memcpy(checkpoint.state.data(), content.data() + sizeof header, size);
  return checkpoint;
}

}  // namespace fm
