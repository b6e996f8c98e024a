// SPDX-License-Identifier: Apache-2.0
#include "test/sim/trace.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <ostream>

namespace muster::sim {
namespace {

constexpr size_t kMostRows = 20'000;
constexpr std::array<size_t, 3> kWidest{18, 70, 50};  // of node, event, action; longer texts are cut

std::string seconds_of(Duration at) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%11.6f", static_cast<double>(at.count()) / 1e9);
  return text.data();
}

// Counts UTF-8 characters, not bytes.
size_t width_of(const std::string& text) {
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; }));
}

std::string padded(std::string text, size_t width) {
  if (width_of(text) > width) text = text.substr(0, width - 1) + "…";
  return text + std::string(width - std::min(width, width_of(text)), ' ');
}

}  // namespace

void Trace::add(TraceRow row) {
  if (rows_.size() < kMostRows) rows_.push_back(std::move(row));
}

void Trace::print(std::ostream& out) const {
  std::array<size_t, 3> widths{4, 5, 6};
  for (const TraceRow& row : rows_) {
    widths[0] = std::min(kWidest[0], std::max(widths[0], width_of(row.node)));
    widths[1] = std::min(kWidest[1], std::max(widths[1], width_of(row.event)));
    widths[2] = std::min(kWidest[2], std::max(widths[2], width_of(row.action)));
  }
  const auto line = [&](const std::string& time, const TraceRow& row) {
    out << time << "  " << padded(row.node, widths[0]) << "  " << padded(row.event, widths[1]) << "  "
        << padded(row.action, widths[2]) << "  " << row.sentence << "\n";
  };
  line("   time (s)", {{}, "node", "event", "action", "sentence"});
  for (const TraceRow& row : rows_) line(seconds_of(row.at), row);
}

}  // namespace muster::sim
