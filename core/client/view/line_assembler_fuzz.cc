// SPDX-License-Identifier: Apache-2.0
// Fuzzes output for a terminal: any bytes, cut anywhere. Lines must be limited in length and contain no control sequence
// but colours.
#include <cstddef>
#include <cstdint>

#include "core/base/check.h"
#include "core/client/view/line_assembler.h"

namespace {

// A line may hold colours, ESC [ digits, semicolons and colons m, and no other control character but tabs.
void check_line(const std::string& line) {
  MUSTER_CHECK(line.size() <= (64 << 10) * 4 + 200);
  for (size_t i = 0; i < line.size(); ++i) {
    const auto byte = static_cast<unsigned char>(line[i]);
    if (byte == 0x1b) {
      const size_t end = line.find_first_not_of("[0123456789;:", i + 1);
      MUSTER_CHECK(end != std::string::npos && line[end] == 'm');
    } else {
      MUSTER_CHECK(byte >= 0x20 || byte == '\t');
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  muster::LineAssembler lines(muster::LineTarget::terminal);
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const size_t step = size > 0 ? 1 + data[0] % 64 : 1;
  for (size_t at = 0; at < size; at += step) {
    for (const std::string& line : lines.add(bytes.substr(at, step))) check_line(line);
    check_line(lines.unfinished());
  }
  for (const std::string& line : lines.flush()) check_line(line);
  return 0;
}
