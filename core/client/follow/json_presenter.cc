// SPDX-License-Identifier: Apache-2.0
#include "core/client/follow/json_presenter.h"
#include "core/base/text.h"
#include "core/client/follow/presenter.h"
#include "core/client/view/json.h"

namespace muster {

void JsonPresenter::print(const std::string& json) {
  screen_.out(yaml_ ? "---\n" + yaml_from_json(json) : json + "\n");
}

void JsonPresenter::event(const JobEvent& event) { print(event_json(event)); }

void JsonPresenter::view(const JobView&) {}

void JsonPresenter::output(const OutputChunk& chunk) {
  if (!output_) return;
  const Stream stream{chunk.position.attempt, chunk.position.index, chunk.position.stream};
  OutputChunk whole = chunk;
  const auto begun = begun_.find(stream);
  if (begun != begun_.end() && begun->second.position.offset + begun->second.bytes.size() == chunk.position.offset) {
    whole.position = begun->second.position;
    whole.bytes.insert(0, begun->second.bytes);
    begun_.erase(begun);
  }
  print_begun(stream);
  const size_t kept = whole.bytes.size() - begun_character(whole.bytes);
  if (kept < whole.bytes.size()) {
    begun_[stream] = {whole.position, whole.bytes.substr(kept)};
    begun_[stream].position.offset += kept;
    whole.bytes.resize(kept);
  }
  if (!whole.bytes.empty()) print(output_json(whole));
}

// Prints an incomplete character: its remaining bytes were dropped or never came.
void JsonPresenter::print_begun(const Stream& stream) {
  const auto begun = begun_.extract(stream);
  if (!begun.empty()) print(output_json(begun.mapped()));
}

void JsonPresenter::remark(const std::string& sentence) { print(remark_json(sentence)); }

void JsonPresenter::ask(const std::string& question) { screen_.err("\r\x1b[K" + question); }

void JsonPresenter::end(const JobView& job) {
  while (!begun_.empty()) print_begun(Stream(begun_.begin()->first));
  print(end_json(job));
}

}  // namespace muster
