// SPDX-License-Identifier: Apache-2.0
#include "launcher/view/progress_view.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "core/base/text.h"

namespace muster {
namespace {

constexpr size_t kBarCells = 20;

double part_of(const Progress& progress) {
  if (progress.total == 0) return 0;
  return std::min(1.0, static_cast<double>(progress.step) / static_cast<double>(progress.total));
}

std::string percent_of(const Progress& progress) {
  return std::to_string(static_cast<int>(100 * part_of(progress))) + " %";
}

std::string metric_text(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", value);
  return text;
}

// In eighths of a cell.
std::string bar(double part) {
  static constexpr std::array<const char*, 8> kPieces = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const auto eighths = static_cast<size_t>(part * kBarCells * kPieces.size());
  std::string text;
  for (size_t i = 0; i < eighths / kPieces.size(); ++i) text += "█";
  text += kPieces[eighths % kPieces.size()];
  return text + std::string(kBarCells - std::min(kBarCells, display_width(text)), ' ');
}

std::string steps_text(const Progress& progress) {
  const std::string step = "step " + humane_count(progress.step);
  return progress.total == 0 ? step : step + " of " + humane_count(progress.total);
}

}  // namespace

std::string step_of(const JobProgress& job) {
  const std::string step = humane_count(job.progress.step);
  return job.progress.total == 0 ? step : step + " " + percent_of(job.progress);
}

std::string eta_of(const JobProgress& job) {
  return or_dash(job.remaining > Duration(0) ? humane_duration(job.remaining) : "");
}

std::string progress_sentence(const JobProgress& job, bool over) {
  std::vector<std::string> parts{steps_text(job.progress)};
  if (job.progress.total > 0) parts[0] += " (" + percent_of(job.progress) + ")";
  if (job.per_step > Duration(0)) parts.push_back(humane_duration(job.per_step) + "/step");
  if (!over && job.remaining > Duration(0)) parts.push_back("eta " + humane_duration(job.remaining));
  for (const auto& [name, value] : job.progress.metrics) parts.push_back(escaped(name) + " " + metric_text(value));
  return join(parts, " · ");
}

std::string progress_line(const JobProgress& job, const std::vector<double>& history, const Style& style) {
  std::string text = steps_text(job.progress);
  if (job.progress.total > 0) text += "  " + percent_of(job.progress) + "  " + bar(part_of(job.progress));
  if (job.remaining > Duration(0)) text += "  eta " + humane_duration(job.remaining);
  constexpr size_t kSparks = 12;
  bool first = true;
  for (const auto& [name, value] : job.progress.metrics) {
    text += "   " + escaped(name) + " " + metric_text(value);
    if (const std::string sparks = first ? sparkline(history, kSparks) : ""; !sparks.empty()) text += " " + sparks;
    first = false;
  }
  return cut(text, std::max<size_t>(style.columns, 20) - 1);
}

std::string sparkline(const std::vector<double>& values, size_t width) {
  static constexpr std::array<const char*, 8> kHeights = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  std::vector<double> shown;
  std::copy_if(values.end() - static_cast<ptrdiff_t>(std::min(values.size(), width)), values.end(),
               std::back_inserter(shown), [](double value) { return std::isfinite(value); });
  if (shown.size() < 2) return "";
  const auto [low, high] = std::minmax_element(shown.begin(), shown.end());
  const double range = *high - *low;
  std::string text;
  for (const double value : shown) {
    const double height = range > 0 ? (value - *low) / range : 0;
    text += kHeights[static_cast<size_t>(height * (kHeights.size() - 1) + 0.5)];
  }
  return text;
}

}  // namespace muster
