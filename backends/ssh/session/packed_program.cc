// SPDX-License-Identifier: Apache-2.0
#include "backends/ssh/session/packed_program.h"

#include <fcntl.h>
#include <openssl/evp.h>

#include <cerrno>
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "backends/ssh/session/gzip.h"
#include "core/system/posix/unique_fd.h"

namespace muster::ssh {
namespace {

constexpr size_t kBlock = 1 << 18;

Status read_file(const std::string& path, const std::function<void(std::string_view)>& take) {
  const UniqueFd file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.valid()) return errno_status(errno, "read " + path);
  std::vector<char> block(kBlock);
  while (true) {
    const ssize_t length = read(file.get(), block.data(), block.size());
    if (length < 0 && errno == EINTR) continue;
    if (length < 0) return errno_status(errno, "read " + path);
    if (length == 0) return Status();
    take({block.data(), static_cast<size_t>(length)});
  }
}

using Digest = std::unique_ptr<EVP_MD_CTX, void (*)(EVP_MD_CTX*)>;

Digest sha256() {
  Digest digest(EVP_MD_CTX_new(), EVP_MD_CTX_free);
  EVP_DigestInit_ex(digest.get(), EVP_sha256(), nullptr);
  return digest;
}

std::string hex_of(EVP_MD_CTX& digest) {
  constexpr size_t kBytes = 16;
  unsigned char bytes[EVP_MAX_MD_SIZE];
  EVP_DigestFinal_ex(&digest, bytes, nullptr);
  std::string text;
  for (size_t i = 0; i < kBytes; ++i) {
    text += "0123456789abcdef"[bytes[i] >> 4];
    text += "0123456789abcdef"[bytes[i] & 15];
  }
  return text;
}

}  // namespace

std::string text_hash(const std::string& text) {
  const Digest digest = sha256();
  EVP_DigestUpdate(digest.get(), text.data(), text.size());
  return hex_of(*digest);
}

Result<std::string> content_hash(const std::string& path) {
  const Digest digest = sha256();
  const Status read =
      read_file(path, [&](std::string_view block) { EVP_DigestUpdate(digest.get(), block.data(), block.size()); });
  if (!read.ok()) return read;
  return hex_of(*digest);
}

Result<std::string> whole_file(const std::string& path) {
  std::string text;
  const Status read = read_file(path, [&](std::string_view block) { text += block; });
  if (!read.ok()) return read;
  return text;
}

Result<std::string> packed(const std::string& path) {
  const Result<std::string> file = whole_file(path);
  return file.ok() ? gzip(*file) : file;
}

Result<std::string> libraries_for_hosts(const std::vector<OwnLibrary>& libraries) {
  std::string text;
  for (const OwnLibrary& library : libraries) {
    const Result<std::string> file = packed(library.path);
    if (!file.ok()) return file;
    text += library.name + " " + std::to_string(file->size()) + "\n" + *file;
  }
  return text + ". 0\n";
}

}  // namespace muster::ssh
