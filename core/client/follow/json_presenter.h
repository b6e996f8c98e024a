// SPDX-License-Identifier: Apache-2.0
// JsonPresenter: shows a followed job as JSON or YAML, for programs. Loop thread only.
#pragma once

#include <map>
#include <string>
#include <tuple>

#include "core/client/follow/output_printer.h"
#include "core/client/follow/presenter.h"
#include "core/client/screen.h"

namespace muster {

struct JsonChoice {
  bool out = true;  // stdout of ranks
  bool err = true;  // stderr of ranks, and the output of setup
  bool job = true;  // events, and the job at its end
  bool yaml = false;
};

// Prints one JSON object per line on stdout, or each as a YAML document:
// {"schema":…,"type":"event"|"output"|"remark"|"job",…}. Output of ranks arrives in pieces of any size. Each line of a rank, and
// each state of a progress bar (which ends with \r), is one object; the last object of a stream may be a line without its end.
class JsonPresenter final : public Presenter {
 public:
  JsonPresenter(Screen& screen, const JsonChoice& choice) : screen_(screen), choice_(choice) {}
  void event(const JobEvent& event) override;
  void view(const JobView& job) override;
  void output(const OutputChunk& chunk) override;
  void remark(const std::string& sentence) override;
  // On stderr, which is a terminal if a question can be asked.
  void ask(const std::string& question) override;
  void end(const JobView& job) override;

 private:
  using Stream = std::tuple<Attempt, uint32_t, OutputStream>;
  void print(const std::string& json);
  void print_begun(const Stream& stream);
  void print_begun_before(Attempt attempt, uint32_t index);

  Screen& screen_;
  const JsonChoice choice_;
  std::map<Stream, OutputChunk> begun_;  // the incomplete line of each stream
};

}  // namespace muster
