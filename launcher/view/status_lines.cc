#include "launcher/view/status_lines.h"

#include <algorithm>

#include "core/base/text.h"

namespace muster {
namespace {

std::string place_of(const JobView& job) {
  if (job.backend == "local")
    return job.nodes > 1 ? " as " + count_of(job.nodes, "node") + " of this machine" : " on this machine";
  const std::string nodes = job.nodes > 0 ? " on " + count_of(job.nodes, "node") : "";
  return nodes + (job.backend.empty() ? "" : " (" + job.backend + ")");
}

std::string took(const JobView& job) {
  const TimePoint begin = job.started == TimePoint() ? job.submitted : job.started;
  return job.ended > begin ? humane_duration(job.ended - begin) : "";
}

std::string restarts_of(const JobView& job) {
  return job.restarts > 0 ? " after " + count_of(job.restarts, "restart") : "";
}

}  // namespace

std::string without_state(const std::string& sentence, const std::string& state) {
  if (!sentence.starts_with(state)) return sentence;
  const size_t begin = sentence.find_first_not_of(": ", state.size());
  return begin == std::string::npos ? "" : sentence.substr(begin);
}

bool is_final(const std::string& state) {
  return state == "succeeded" || state == "failed" || state == "cancelled";
}

std::string size_of(const JobView& job) {
  if (job.ranks.empty()) return "";
  return count_of(job.ranks.size(), "rank") + place_of(job);
}

std::string remark(const std::string& job_name, const std::string& text, const Style& style) {
  return paint(style, Colour::bold, job_name) + "  " + text + "\n";
}

std::string start_line(const JobView& job, const Style& style) {
  std::string size = size_of(job);
  if (size.empty()) size = job.state;
  return remark(job.name, size + " · " + or_dash(job.framework), style);
}

std::string event_line(const std::string& job_name, const JobEvent& event, const Style& style) {
  if (event.sentence.empty()) return "";
  return remark(job_name, event.sentence, style);
}

std::string end_lines(const JobView& job, const Style& style) {
  const std::string state = paint(style, colour_of_state(job.state), job.state);
  if (job.state == "succeeded") {
    const std::string duration = took(job);
    return remark(job.name, state + (duration.empty() ? "" : " in " + duration) + restarts_of(job), style);
  }
  const std::string why = without_state(job.sentence, job.state);
  std::string text = remark(job.name, state + (why.empty() ? "" : ": " + why), style);
  if (job.state == "failed") text += "why:   muster why " + job.name + "\n";
  return text;
}

std::string timeline_line(const JobEvent& event, const Style& style) {
  const std::string attempt = event.attempt > 0 ? "attempt " + std::to_string(event.attempt) : "-";
  return paint(style, Colour::dim, format_utc(event.time)) + "  " + attempt +
         std::string(11 - std::min<size_t>(attempt.size(), 10), ' ') +
         paint(style, colour_of_state(event.state), event.state) + "  " +
         without_state(event.sentence, event.state) + "\n";
}

}  // namespace muster
