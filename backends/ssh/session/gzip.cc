#include "backends/ssh/session/gzip.h"

#include <zlib.h>

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

namespace muster::ssh {
namespace {

constexpr size_t kGzipPiece = 512 << 10;
constexpr size_t kWindow = 32 << 10;
constexpr size_t kMostThreads = 8;
constexpr int kRaw = -MAX_WBITS;
constexpr int kMemory = 8;
constexpr size_t kRoom = 64;  // for the end of a piece, which deflateBound() leaves out
constexpr std::string_view kHead("\x1f\x8b\x08\0\0\0\0\0\0\x03", 10);
constexpr size_t kTail = 8;

// Packed by itself, but for what is repeated from just before it.
struct Piece {
  std::string_view in;
  std::string_view before;
  bool last = false;
  std::string out;
  uLong crc = 0;
};

Bytef* bytes(std::string_view text) { return reinterpret_cast<Bytef*>(const_cast<char*>(text.data())); }

bool pack(Piece& piece) {
  z_stream stream{};
  if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kRaw, kMemory, Z_DEFAULT_STRATEGY) != Z_OK) return false;
  if (!piece.before.empty()) deflateSetDictionary(&stream, bytes(piece.before), static_cast<uInt>(piece.before.size()));
  piece.out.resize(deflateBound(&stream, piece.in.size()) + kRoom);
  stream.next_in = bytes(piece.in);
  stream.avail_in = static_cast<uInt>(piece.in.size());
  stream.next_out = bytes(piece.out);
  stream.avail_out = static_cast<uInt>(piece.out.size());
  deflate(&stream, piece.last ? Z_FINISH : Z_SYNC_FLUSH);
  piece.out.resize(stream.total_out);
  deflateEnd(&stream);
  piece.crc = crc32(0, bytes(piece.in), static_cast<uInt>(piece.in.size()));
  return true;
}

std::vector<Piece> pieces_of(std::string_view text) {
  std::vector<Piece> pieces;
  for (size_t at = 0; at == 0 || at < text.size(); at += kGzipPiece) {
    const size_t before = std::min(at, kWindow);
    pieces.push_back(
        {text.substr(at, kGzipPiece), text.substr(at - before, before), at + kGzipPiece >= text.size(), "", 0});
  }
  return pieces;
}

bool pack_all(std::vector<Piece>& pieces) {
  std::atomic<size_t> next = 0;
  std::atomic<bool> fine = true;
  const auto work = [&] {
    for (size_t i = next++; i < pieces.size(); i = next++)
      if (!pack(pieces[i])) fine = false;
  };
  std::vector<std::jthread> others;
  const size_t threads = std::min({size_t{std::thread::hardware_concurrency()}, kMostThreads, pieces.size()});
  for (size_t i = 1; i < threads; ++i) others.emplace_back(work);
  work();
  others.clear();
  return fine;
}

void put_number(std::string& out, size_t number) {
  for (int shift = 0; shift < 32; shift += 8) out += static_cast<char>(number >> shift & 0xff);
}

}  // namespace

Result<std::string> gzip(std::string_view text) {
  std::vector<Piece> pieces = pieces_of(text);
  if (!pack_all(pieces)) return Status(Code::resource_exhausted, "no memory to pack with");
  std::string out(kHead);
  uLong crc = 0;
  for (const Piece& piece : pieces) {
    out += piece.out;
    crc = crc32_combine(crc, piece.crc, static_cast<z_off_t>(piece.in.size()));
  }
  put_number(out, crc);
  put_number(out, text.size());
  return out;
}

uint32_t unpacked_size(std::string_view packed) {
  if (packed.size() < kHead.size() + kTail || !packed.starts_with(kHead)) return 0;
  uint32_t size = 0;
  for (size_t i = 1; i <= 4; ++i) size = size << 8 | static_cast<uint8_t>(packed[packed.size() - i]);
  return size;
}

}  // namespace muster::ssh
