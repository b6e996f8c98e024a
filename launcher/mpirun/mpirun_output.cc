// SPDX-License-Identifier: Apache-2.0
#include "launcher/mpirun/mpirun_output.h"

#include <ctime>
#include <filesystem>

#include "core/base/text.h"

namespace muster {
namespace {

constexpr std::string_view kNoCopy = ":nocopy";

// "Thu Nov 26 15:19:55 2026", as mpirun writes it: local time.
std::string time_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  char text[64];
  const size_t length =
      localtime_r(&now, &parts) == nullptr ? 0 : std::strftime(text, sizeof text, "%a %b %e %T %Y", &parts);
  return std::string(text, length);
}

// Replaces %r by the rank and %g by 0, the number of the job. nullopt: another %.
std::optional<std::string> with_rank(const std::string& pattern, uint32_t rank) {
  std::string text;
  for (size_t at = 0; at < pattern.size(); ++at) {
    if (pattern[at] != '%') {
      text += pattern[at];
      continue;
    }
    const char next = at + 1 < pattern.size() ? pattern[++at] : '\0';
    if (next == 'r') {
      text += std::to_string(rank);
    } else if (next == 'g') {
      text += "0";
    } else if (next == '%') {
      text += "%";
    } else {
      return std::nullopt;
    }
  }
  return text;
}

}  // namespace

MpirunOutput::MpirunOutput(const MpirunFlags& flags, uint32_t ranks, std::string workdir)
    : flags_(flags),
      ranks_(ranks),
      workdir_(std::move(workdir)),
      folder_(flags.output_folder) {
  copies_ = !folder_.ends_with(kNoCopy);
  if (!copies_) folder_.resize(folder_.size() - kNoCopy.size());
}

std::string MpirunOutput::path(const std::string& typed) const {
  return (std::filesystem::path(workdir_) / typed).lexically_normal().string();
}

std::string MpirunOutput::file_of(uint32_t index, OutputStream stream) const {
  const bool out = stream == OutputStream::out || flags_.merge_stderr;
  const std::string& pattern = out ? flags_.out_pattern : flags_.err_pattern;
  if (!pattern.empty()) return path(with_rank(pattern, index).value_or(pattern));
  if (folder_.empty()) return "";
  // As mpirun: numbers have leading zeros, so that names sort.
  const size_t digits = std::to_string(ranks_).size();
  std::string number = std::to_string(index);
  number.insert(0, digits - std::min(digits, number.size()), '0');
  return path(folder_ + "/1/rank." + number + (out ? "/stdout" : "/stderr"));
}

Status MpirunOutput::open() {
  for (const std::string* pattern : {&flags_.out_pattern, &flags_.err_pattern}) {
    if (!with_rank(*pattern, 0))
      return {Code::invalid_argument, "the pattern `" + escaped(*pattern) +
                                          "` has an unknown %; use %r for the rank, %g for the job and %% for %"};
  }
  for (uint32_t rank = 0; rank < ranks_; ++rank) {
    for (const OutputStream stream : {OutputStream::out, OutputStream::err}) {
      const std::string file = file_of(rank, stream);
      if (file.empty() || files_.contains(file)) continue;
      std::error_code error;
      std::filesystem::create_directories(std::filesystem::path(file).parent_path(), error);
      std::ofstream& opened = files_[file];
      opened.open(file, std::ios::binary | std::ios::trunc);
      if (!opened) return errno_status(errno, "cannot write " + file);
    }
  }
  return {};
}

std::optional<OutputStream> MpirunOutput::shown(OutputStream stream) const {
  const bool out = stream == OutputStream::out || flags_.merge_stderr;
  const bool redirected = !(out ? flags_.out_pattern : flags_.err_pattern).empty();
  if (redirected || (!folder_.empty() && !copies_)) return std::nullopt;
  return out ? OutputStream::out : stream;
}

std::string MpirunOutput::label(uint32_t index, OutputStream stream) const {
  const std::string time = flags_.times ? time_now() : "";
  const std::string name = stream == OutputStream::out ? "<stdout>:" : "<stderr>:";
  switch (flags_.tag) {
    case MpirunTag::none: return flags_.times ? time + name : "";
    case MpirunTag::open_mpi: return time + "[1," + std::to_string(index) + "]" + name;
    case MpirunTag::hydra: return time + "[" + std::to_string(index) + "] ";
  }
  return "";
}

// Flushes each chunk, because users follow the file while it grows.
void MpirunOutput::add(const OutputChunk& chunk) {
  if (files_.empty()) return;
  const std::string name = file_of(chunk.position.index, chunk.position.stream);
  const auto found = files_.find(name);
  if (found == files_.end()) return;
  found->second.write(chunk.bytes.data(), static_cast<std::streamsize>(chunk.bytes.size()));
  if (found->second.flush() || !trouble_.empty()) return;
  trouble_ = name + " cannot be written; muster logs has all output";
}

}  // namespace muster
