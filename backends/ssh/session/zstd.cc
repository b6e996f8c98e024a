#include "backends/ssh/session/zstd.h"

#include <dlfcn.h>

namespace muster::ssh {
namespace {

constexpr int kLevel = 9;  // as small as gzip takes a second for, and half of that time
constexpr std::string_view kMagic("\x28\xb5\x2f\xfd", 4);
// A frame that all readers pass over, of four bytes (RFC 8878, 3.1.2): behind the text it tells its length, and that the file is whole.
constexpr std::string_view kLengthFollows("\x50\x2a\x4d\x18\x04\0\0\0", 8);
constexpr size_t kLengthBytes = 4;

// As zstd.h declares them, since 1.0.
struct Library {
  size_t (*bound)(size_t) = nullptr;
  size_t (*compress)(void*, size_t, const void*, size_t, int) = nullptr;
  unsigned (*is_error)(size_t) = nullptr;
};

template <typename Function>
void find(void* handle, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(handle, name));
}

// Never closed: it is asked for once in a process's life.
Library open_library() {
  Library library;
  void* handle = dlopen("libzstd.so.1", RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) return library;
  find(handle, "ZSTD_compressBound", library.bound);
  find(handle, "ZSTD_compress", library.compress);
  find(handle, "ZSTD_isError", library.is_error);
  return library;
}

}  // namespace

Result<std::string> zstd(std::string_view text) {
  const Library library = open_library();
  if (!library.bound || !library.compress || !library.is_error) return Status(Code::not_found, "no libzstd here");
  std::string out(library.bound(text.size()), '\0');
  const size_t size = library.compress(out.data(), out.size(), text.data(), text.size(), kLevel);
  if (library.is_error(size) != 0) return Status(Code::resource_exhausted, "no memory to pack with");
  out.resize(size);
  out += kLengthFollows;
  for (int shift = 0; shift < 32; shift += 8) out += static_cast<char>(text.size() >> shift & 0xff);
  return out;
}

uint32_t zstd_unpacked_size(std::string_view packed) {
  const size_t end = kLengthFollows.size() + kLengthBytes;
  if (!packed.starts_with(kMagic) || packed.size() < kMagic.size() + end) return 0;
  if (packed.substr(packed.size() - end, kLengthFollows.size()) != kLengthFollows) return 0;
  uint32_t size = 0;
  for (size_t i = 1; i <= kLengthBytes; ++i) size = size << 8 | static_cast<uint8_t>(packed[packed.size() - i]);
  return size;
}

}  // namespace muster::ssh
