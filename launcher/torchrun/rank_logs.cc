// SPDX-License-Identifier: Apache-2.0
#include "launcher/torchrun/rank_logs.h"

#include <filesystem>

namespace muster {

RankLogs::RankLogs(std::string folder, const std::string& picked, uint32_t ranks)
    : folder_(std::move(folder)),
      ranks_(ranks) {
  if (picked.empty()) return;
  if (const auto pick = StreamPick::parse("--redirects", picked); pick.ok()) picked_ = *pick;
}

std::string RankLogs::folder_of(Attempt attempt, uint32_t local_rank) const {
  if (folder_.empty()) return "";
  return folder_ + "/attempt_" + std::to_string(attempt - 1) + "/" + std::to_string(local_rank) + "/";
}

void RankLogs::begin(Attempt attempt) {
  if (folder_.empty() || attempt <= begun_) return;
  begun_ = attempt;
  files_.clear();
  for (uint32_t rank = 0; rank < ranks_; ++rank) {
    std::error_code error;
    std::filesystem::create_directories(folder_of(attempt, rank), error);
    if (error && trouble_.empty()) trouble_ = "cannot create " + folder_of(attempt, rank) + ": " + error.message();
    for (const OutputStream stream : {OutputStream::out, OutputStream::err}) {
      if (picked_.has(rank, stream)) open({attempt, rank, stream});
    }
  }
}

void RankLogs::open(const Source& source) {
  const auto& [attempt, rank, stream] = source;
  const std::string name = stream == OutputStream::out ? "stdout.log" : "stderr.log";
  files_[source].open(folder_of(attempt, rank) + name, std::ios::binary | std::ios::trunc);
}

// Flushes each chunk, because users follow the file while it grows.
void RankLogs::add(const OutputChunk& chunk) {
  begin(chunk.position.attempt);
  const auto found = files_.find({chunk.position.attempt, chunk.position.index, chunk.position.stream});
  if (found == files_.end()) return;
  found->second.write(chunk.bytes.data(), static_cast<std::streamsize>(chunk.bytes.size()));
  if (found->second.flush() || !trouble_.empty()) return;
  trouble_ = folder_of(chunk.position.attempt, chunk.position.index) + " cannot be written; muster logs has all output";
}

}  // namespace muster
