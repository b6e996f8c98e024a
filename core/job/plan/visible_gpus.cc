// SPDX-License-Identifier: Apache-2.0
#include "core/job/plan/visible_gpus.h"

#include <algorithm>
#include <charconv>

#include "core/base/text.h"

namespace muster {
namespace {

bool is_index(std::string_view entry, uint32_t index) {
  uint32_t number = 0;
  const auto [end, error] = std::from_chars(entry.data(), entry.data() + entry.size(), number);
  return error == std::errc() && end == entry.data() + entry.size() && number == index;
}

bool names(std::string_view entry, const Gpu& gpu) {
  return is_index(entry, gpu.index) || (entry.starts_with("GPU-") && gpu.uuid.starts_with(entry));
}

std::string trimmed(const std::string& text) {
  const size_t start = text.find_first_not_of(' ');
  if (start == std::string::npos) return "";
  return text.substr(start, text.find_last_not_of(' ') - start + 1);
}

}  // namespace

std::vector<Gpu> visible_gpus(const std::vector<Gpu>& gpus, const std::optional<std::string>& cuda_visible_devices) {
  if (!cuda_visible_devices) return gpus;
  std::vector<Gpu> visible;
  for (const std::string& part : split(*cuda_visible_devices, ',')) {
    const std::string entry = trimmed(part);
    const auto gpu = std::find_if(gpus.begin(), gpus.end(), [&](const Gpu& each) { return names(entry, each); });
    if (gpu == gpus.end()) break;
    const bool twice = std::find(visible.begin(), visible.end(), *gpu) != visible.end();
    if (!twice) visible.push_back(*gpu);
  }
  return visible;
}

std::optional<std::string> cuda_visible_devices(const std::map<std::string, std::string>& environment) {
  const auto found = environment.find("CUDA_VISIBLE_DEVICES");
  if (found == environment.end()) return std::nullopt;
  return found->second;
}

}  // namespace muster
