#include "launcher/follow/presenter.h"
#include "launcher/view/json.h"

namespace muster {

void JsonPresenter::event(const JobEvent& event) { screen_.out(event_json(event) + "\n"); }

void JsonPresenter::view(const JobView&) {}

void JsonPresenter::output(const OutputChunk& chunk) {
  if (output_) screen_.out(output_json(chunk) + "\n");
}

void JsonPresenter::remark(const std::string& sentence) { screen_.out(remark_json(sentence) + "\n"); }

void JsonPresenter::end(const JobView& job) { screen_.out(end_json(job) + "\n"); }

}  // namespace muster
