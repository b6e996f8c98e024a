// What muster itself says of a job while it is followed: the start, its decisions, the end. Pure.
#pragma once

#include <functional>
#include <string>

#include "core/client/view/style.h"
#include "core/job/job_spec.h"
#include "core/port/control_messages.h"

namespace muster {

// "train-7f2  2 ranks on this machine · torch · no GPU seen\n"; `note` is the last part, empty for none.
std::string start_line(const JobView& job, const std::string& note, const Style& style);

// Why the ranks of a job that left it to muster run on CPUs: "no GPU seen", or "on CPUs: 4 workers are more than 2
// GPUs". Empty where there is nothing to tell. `gpus_here` counts this machine's GPUs and is asked only when that
// matters.
std::string gpu_note(const JobSpec& spec, const JobView& job, const std::function<size_t()>& gpus_here);

// The question of Ctrl-C, in one row of so many columns (0: 80), down to 20; `grace`: between SIGTERM and SIGKILL.
std::string interrupt_question(Duration grace, size_t columns = 0);

// "train-7f2  rank 1 failed: … · restarting, attempt 2 of 4\n"; empty for an event without a sentence.
std::string event_line(const std::string& job_name, const JobEvent& event, const Style& style);

// Of JobView::troubles what was lost, oldest first; and what was only worth a remark.
std::vector<std::string> losses_of(const JobView& job);
std::vector<std::string> remarks_of(const JobView& job);

// What is told of them with the end, for a success without what it printed is half of one: "lost:  …\n", and "note:  …\n" of what the
// ranks' store would not have.
std::string end_notes(const JobView& job);

// "train-7f2  succeeded in 31.4 s\n", or the failure with what to type next.
std::string end_lines(const JobView& job, const Style& style);

// "train-7f2  `text`\n": muster's own words about a job.
std::string remark(const std::string& job_name, const std::string& text, const Style& style);

// One line of `muster events`: time, attempt, kind, sentence.
std::string timeline_line(const JobEvent& event, const Style& style);

// "2 ranks on this machine", "3 ranks in 2 groups on this machine", "8 ranks on 4 nodes (ssh)": empty while the plan is
// not known.
std::string size_of(const JobView& job);

// "failed: rank 1 …" → "rank 1 …": where the state stands beside it, saying it twice helps nobody.
std::string without_state(const std::string& sentence, const std::string& state);

// What a command about the job takes: its name, and where it is when that is no controller of this machine.
std::string asked_as(const JobView& job, const Style& style);

// succeeded failed cancelled.
bool is_final(const std::string& state);

}  // namespace muster
