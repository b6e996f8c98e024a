#include "core/adapter/ssh/packed_program.h"

#include <fcntl.h>
#include <openssl/evp.h>
#include <zlib.h>

#include <cerrno>
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "core/adapter/asio/unique_fd.h"

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

Result<std::string> packed(const std::string& path) {
  constexpr int kGzip = 16 + MAX_WBITS;
  constexpr int kMemory = 8;
  z_stream stream{};
  if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kGzip, kMemory, Z_DEFAULT_STRATEGY) != Z_OK)
    return Status(Code::resource_exhausted, "no memory to pack " + path);
  std::string out;
  std::vector<char> block(kBlock);
  const auto deflate_all = [&](std::string_view in, int flush) {
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(in.data()));
    stream.avail_in = static_cast<uInt>(in.size());
    do {
      stream.next_out = reinterpret_cast<Bytef*>(block.data());
      stream.avail_out = static_cast<uInt>(block.size());
      deflate(&stream, flush);
      out.append(block.data(), block.size() - stream.avail_out);
    } while (stream.avail_out == 0);
  };
  const Status read = read_file(path, [&](std::string_view bytes) { deflate_all(bytes, Z_NO_FLUSH); });
  deflate_all({}, Z_FINISH);
  deflateEnd(&stream);
  if (!read.ok()) return read;
  return out;
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
