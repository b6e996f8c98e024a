// JsonPresenter: a followed job for programs. Loop thread only.
#pragma once

#include <map>
#include <string>
#include <tuple>

#include "core/client/follow/output_printer.h"
#include "core/client/follow/presenter.h"
#include "core/client/screen.h"

namespace muster {

// One object a line on stdout, or each as a document of YAML: {"schema":…,"type":"event"|"output"|"remark"|"job",…}. What ranks print comes cut anywhere; a character
// that is cut comes whole with the next piece of its stream.
class JsonPresenter final : public Presenter {
 public:
  JsonPresenter(Screen& screen, bool output, bool yaml = false) : screen_(screen), output_(output), yaml_(yaml) {}
  void event(const JobEvent& event) override;
  void view(const JobView& job) override;
  void output(const OutputChunk& chunk) override;
  void remark(const std::string& sentence) override;
  void end(const JobView& job) override;

 private:
  using Stream = std::tuple<Attempt, uint32_t, OutputStream>;
  void print(const std::string& json);
  void print_begun(const Stream& stream);

  Screen& screen_;
  const bool output_;
  const bool yaml_;
  std::map<Stream, OutputChunk> begun_;  // the first bytes of characters
};

}  // namespace muster
