// SPDX-License-Identifier: Apache-2.0
#include "core/client/follow/json_presenter.h"
#include "core/base/text.h"
#include "core/client/follow/presenter.h"
#include "core/client/view/json.h"

namespace muster {

namespace {

// A line that is longer is printed in parts.
constexpr size_t kLongestLine = 1024 * 1024;

// The length of the first line of `bytes`, with its end: \n, \r\n, or the \r of a progress bar. 0: it is incomplete, since \r as the
// last byte may still become \r\n.
size_t line_length(std::string_view bytes) {
  const size_t end = bytes.find_first_of("\r\n");
  if (end == std::string_view::npos || (bytes[end] == '\r' && end + 1 == bytes.size())) {
    const bool cut = bytes.size() >= kLongestLine;
    return cut ? kLongestLine - begun_character(bytes.substr(0, kLongestLine)) : 0;
  }
  const size_t length = end + (bytes[end] == '\r' && bytes[end + 1] == '\n' ? 2 : 1);
  return length <= kLongestLine ? length : kLongestLine - begun_character(bytes.substr(0, kLongestLine));
}

}  // namespace

void JsonPresenter::print(const std::string& json) {
  screen_.out(choice_.yaml ? "---\n" + yaml_from_json(json) : json + "\n");
}

void JsonPresenter::event(const JobEvent& event) {
  // The gap in the output is told even without the job's events.
  if (choice_.job || event.kind == "output-dropped") print(event_json(event));
}

void JsonPresenter::view(const JobView&) {}

void JsonPresenter::output(const OutputChunk& chunk) {
  const OutputPosition& at = chunk.position;
  if (at.stream == OutputStream::out ? !choice_.out : !choice_.err) return;
  print_begun_before(at.attempt, at.index);
  const Stream stream{at.attempt, at.index, at.stream};
  OutputChunk line = chunk;
  const auto begun = begun_.find(stream);
  if (begun != begun_.end() && begun->second.position.offset + begun->second.bytes.size() == at.offset) {
    line.position = begun->second.position;
    line.bytes.insert(0, begun->second.bytes);
    begun_.erase(begun);
  }
  print_begun(stream);
  std::string_view rest = line.bytes;
  OutputChunk whole{line.position, "", line.time};
  for (size_t length = line_length(rest); length > 0; length = line_length(rest)) {
    whole.bytes = rest.substr(0, length);
    print(output_json(whole));
    whole.position.offset += length;
    rest.remove_prefix(length);
  }
  whole.bytes = rest;
  if (!rest.empty()) begun_[stream] = std::move(whole);
}

// Prints an incomplete line: its remaining bytes were dropped or never came.
void JsonPresenter::print_begun(const Stream& stream) {
  const auto begun = begun_.extract(stream);
  if (!begun.empty()) print(output_json(begun.mapped()));
}

void JsonPresenter::print_begun_before(Attempt attempt, uint32_t index) {
  for (auto next = begun_.begin(); next != begun_.end() && std::get<0>(next->first) < attempt;) {
    const Stream stream = (next++)->first;
    if (std::get<1>(stream) == index) print_begun(stream);
  }
}

void JsonPresenter::remark(const std::string& sentence) { print(remark_json(sentence)); }

void JsonPresenter::ask(const std::string& question) { screen_.err("\r\x1b[K" + question); }

void JsonPresenter::end(const JobView& job) {
  while (!begun_.empty()) print_begun(Stream(begun_.begin()->first));
  if (choice_.job) print(end_json(job));
}

}  // namespace muster
