// SPDX-License-Identifier: Apache-2.0
#include "backends/kubernetes/pod/log_record.h"

#include <openssl/evp.h>

#include <algorithm>
#include <charconv>

#include "backends/kubernetes/pod/packed_text.h"
#include "core/base/text.h"
#include "core/wire/values/kept_items.h"

namespace muster::pod {
namespace {

constexpr std::string_view kWord = "muster-record ";
constexpr size_t kLineLetters = 6000;  // the cluster splits lines of more than 16 KiB
constexpr size_t kMostPacked = kMostRecordLines * kLineLetters / 4 * 3;
// If there are too many events, only the first and the newest are kept.
constexpr size_t kFirstEvents = 50;
constexpr size_t kNewestEvents = 200;

std::string packed(const LogRecord& record) {
  std::vector<FollowItem> items{{record.job}};
  for (const JobEvent& event : record.events) items.push_back({event});
  return packed_text(bytes_of(items), kMostPacked);
}

LogRecord shortened(LogRecord record) {
  auto& events = record.events;
  if (events.size() > kFirstEvents + kNewestEvents)
    events.erase(events.begin() + kFirstEvents, events.end() - kNewestEvents);
  return record;
}

std::string to_base64(std::string_view bytes) {
  std::string letters((bytes.size() + 2) / 3 * 4, '\0');
  EVP_EncodeBlock(reinterpret_cast<unsigned char*>(letters.data()),
                  reinterpret_cast<const unsigned char*>(bytes.data()), static_cast<int>(bytes.size()));
  return letters;
}

// OpenSSL decodes padding as zero bytes and accepts it anywhere. unpacked_text() detects damage by the checksum of zlib.
std::optional<std::string> from_base64(std::string_view letters) {
  std::string bytes(letters.size() / 4 * 3, '\0');
  const int length =
      EVP_DecodeBlock(reinterpret_cast<unsigned char*>(bytes.data()),
                      reinterpret_cast<const unsigned char*>(letters.data()), static_cast<int>(letters.size()));
  const size_t padding = letters.size() - (letters.find_last_not_of('=') + 1);
  if (length < 0 || padding > 2) return std::nullopt;
  bytes.resize(static_cast<size_t>(length) - padding);
  return bytes;
}

// A line's number, the number of lines, and its Base64 text.
struct Line {
  size_t number = 0;
  size_t of = 0;
  std::string_view letters;
};

std::optional<Line> line_in(std::string_view text) {
  text.remove_prefix(kWord.size());
  Line line;
  const char* end = text.data() + text.size();
  const auto number = std::from_chars(text.data(), end, line.number);
  if (number.ec != std::errc() || number.ptr == end || *number.ptr != '/') return std::nullopt;
  const auto of = std::from_chars(number.ptr + 1, end, line.of);
  if (of.ec != std::errc() || of.ptr == end || *of.ptr != ' ') return std::nullopt;
  line.letters = text.substr(static_cast<size_t>(of.ptr + 1 - text.data()));
  return line;
}

// The Base64 text of the last complete record.
std::string letters_in(std::string_view log) {
  std::string whole;
  std::string begun;
  size_t next = 1;
  for (const std::string& text : split(log, '\n')) {
    const auto line = is_record_line(text) ? line_in(text) : std::nullopt;
    if (!line) continue;
    if (line->number == 1) begun.clear();
    if (line->number != 1 && line->number != next) continue;
    begun += line->letters;
    next = line->number + 1;
    if (line->number == line->of) whole = begun;
  }
  return whole;
}

}  // namespace

std::string record_lines(const LogRecord& record) {
  std::string bytes = packed(record);
  if (bytes.empty()) bytes = packed(shortened(record));
  const std::string letters = to_base64(bytes);
  const size_t lines = (letters.size() + kLineLetters - 1) / kLineLetters;
  std::string text;
  for (size_t i = 0; i < lines; ++i)
    text += std::string(kWord) + std::to_string(i + 1) + "/" + std::to_string(lines) + " " +
            letters.substr(i * kLineLetters, kLineLetters) + "\n";
  return text;
}

bool is_record_line(std::string_view line) { return line.starts_with(kWord); }

std::optional<LogRecord> record_in(std::string_view log) {
  const auto bytes = from_base64(letters_in(log));
  const auto text = bytes ? unpacked_text(*bytes) : Result<std::string>(Status(Code::not_found, ""));
  const auto items = text.ok() ? kept_items(*text) : Result<std::vector<FollowItem>>(text.status());
  if (!items.ok() || items->empty() || !std::holds_alternative<JobView>(items->front().item)) return std::nullopt;
  LogRecord record{std::get<JobView>(items->front().item), {}};
  for (const FollowItem& each : *items) {
    if (const auto* event = std::get_if<JobEvent>(&each.item)) record.events.push_back(*event);
  }
  return record;
}

}  // namespace muster::pod
