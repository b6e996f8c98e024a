// SPDX-License-Identifier: Apache-2.0
#include "launcher/torchrun/filtered_copies.h"

#include <algorithm>
#include <filesystem>

namespace muster {

FilteredCopies::FilteredCopies(std::string folder, std::vector<std::string> out_words,
                               std::vector<std::string> err_words, const OutputRules& rules)
    : folder_(std::move(folder)),
      out_words_(std::move(out_words)),
      err_words_(std::move(err_words)),
      rules_(rules) {}

const std::vector<std::string>& FilteredCopies::words(OutputStream stream) const {
  return stream == OutputStream::out ? out_words_ : err_words_;
}

void FilteredCopies::add(const OutputChunk& chunk) {
  const auto& [attempt, index, stream, offset] = chunk.position;
  if (folder_.empty() || words(stream).empty() || !rules_.teed(index, stream)) return;
  const Source source{attempt, index, stream};
  copy(source, assemblers_[source].add(chunk.bytes));
}

void FilteredCopies::finish() {
  for (auto& [source, assembler] : assemblers_) copy(source, assembler.flush());
  assemblers_.clear();
  files_.clear();
}

void FilteredCopies::copy(const Source& source, const std::vector<std::string>& lines) {
  const auto& [attempt, index, stream] = source;
  const std::string label = rules_.label(index, stream).value_or("");
  for (const std::string& line : lines) {
    const bool wanted = std::any_of(words(stream).begin(), words(stream).end(),
                                    [&](const std::string& word) { return line.find(word) != std::string::npos; });
    // Flushed at once, because users follow the file while it grows.
    if (wanted) file_of(attempt, stream) << label << line << '\n' << std::flush;
  }
}

std::ofstream& FilteredCopies::file_of(Attempt attempt, OutputStream stream) {
  const auto [found, is_new] = files_.try_emplace({attempt, stream});
  if (is_new) {
    const std::string folder = folder_ + "/attempt_" + std::to_string(attempt - 1);
    std::error_code ignored;
    std::filesystem::create_directories(folder, ignored);
    found->second.open(folder + (stream == OutputStream::out ? "/filtered_stdout.log" : "/filtered_stderr.log"));
  }
  return found->second;
}

}  // namespace muster
