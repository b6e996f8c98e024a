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

// Prints one JSON object per line on stdout, or each as a YAML document:
// {"schema":…,"type":"event"|"output"|"remark"|"job",…}. Output of ranks arrives in pieces of any size; a UTF-8 character
// split over two pieces is printed whole with the second.
class JsonPresenter final : public Presenter {
 public:
  JsonPresenter(Screen& screen, bool output, bool yaml = false) : screen_(screen), output_(output), yaml_(yaml) {}
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

  Screen& screen_;
  const bool output_;
  const bool yaml_;
  std::map<Stream, OutputChunk> begun_;  // the first bytes of an incomplete character, per stream
};

}  // namespace muster
