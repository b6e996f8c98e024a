// Presenter: how a followed job is shown. Text for people, JSON lines for programs. Loop thread only.
#pragma once

#include <map>
#include <string>
#include <tuple>

#include "core/port/control_messages.h"
#include "launcher/follow/output_printer.h"
#include "launcher/screen.h"
#include "launcher/view/style.h"

namespace muster {

class Presenter {
 public:
  virtual ~Presenter() = default;
  virtual void event(const JobEvent& event) = 0;
  virtual void view(const JobView& job) = 0;
  virtual void output(const OutputChunk& chunk) = 0;
  // muster's own words about the job, one sentence.
  virtual void remark(const std::string& sentence) = 0;
  // A signal came from the terminal, which may have echoed `^C` where the next words would stand.
  virtual void interrupted() {}
  // A question that a key answers; it stays in sight until it is empty.
  virtual void ask(const std::string& /*question*/) {}
  // The last word; `job.done` tells whether it is the job's end or ours.
  virtual void end(const JobView& job) = 0;
};

struct TextChoice {
  OutputChoice output;
  bool events = true;      // the job's decisions, its start and end
  TimePoint events_after;  // earlier ones are not told again (attach)
  std::string start_note;  // behind the line of the start; may be empty
};

class TextPresenter final : public Presenter {
 public:
  TextPresenter(Screen& screen, Style out_style, Style err_style, TextChoice choice);
  void event(const JobEvent& event) override;
  void view(const JobView& job) override;
  void output(const OutputChunk& chunk) override;
  void remark(const std::string& sentence) override;
  void interrupted() override { printer_.echoed(); }
  void ask(const std::string& question) override;
  void end(const JobView& job) override;

 private:
  void introduce(const JobView& job);
  void say(const std::string& text);
  void show_progress(const JobView& job);
  bool worth_telling(const JobEvent& event) const;

  Screen& screen_;
  const Style style_;
  const TextChoice choice_;
  OutputPrinter printer_;
  std::string name_;
  std::string waits_for_;
  std::string question_;  // instead of the progress, while it stands open
  bool started_ = false;
  Attempt attempt_ = 0;          // the newest whose output was shown
  std::vector<double> history_;  // of the first metric
};

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
