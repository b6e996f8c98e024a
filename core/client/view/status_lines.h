// SPDX-License-Identifier: Apache-2.0
// Messages of muster about a job that is followed: its start, muster's decisions, its end. Pure.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "core/client/view/style.h"
#include "core/job/job_spec.h"
#include "core/port/control_messages.h"

namespace muster {

// "train-7f2  2 ranks on this machine · torch · no GPU seen\n". `note` is the last part; empty: none.
std::string start_line(const JobView& job, const std::string& note, const Style& style);

// Why the ranks run on CPUs although the job lets muster choose: "no GPU seen", or "on CPUs: 4 ranks, but only 2 GPUs".
// Empty: nothing to say. `gpus_here` counts this machine's GPUs; it is called only if needed.
std::string gpu_note(const JobSpec& spec, const JobView& job, const std::function<size_t()>& gpus_here);

// The question after Ctrl-C, in one row of at most `columns` (0: 80; at least 22). `grace`: from SIGTERM to SIGKILL.
// `seconds`: until the command detaches.
std::string interrupt_question(Duration grace, size_t columns = 0, uint32_t seconds = 5);

// "train-7f2  rank 1 failed: … · restarting, attempt 2 of 4\n"; empty for an event without a sentence.
std::string event_line(const std::string& job_name, const JobEvent& event, const Style& style);

// Whether the job waits until its output can be stored. Its events say so too.
bool waits_for_output(const JobView& job);

// JobView::troubles, divided into losses (of output, for instance) and mere notes; oldest first.
std::vector<std::string> losses_of(const JobView& job);
std::vector<std::string> remarks_of(const JobView& job);

// Lines for the end of a job: "lost:  …\n" for the last loss, and "note:  …\n" for what the torch store refused. Empty:
// none.
std::string end_notes(const JobView& job);

// "train-7f2  succeeded in 31.4 s\n", or the failure and the command that explains it.
std::string end_lines(const JobView& job, const Style& style);

// "train-7f2  `text`\n": a note of muster about a job.
std::string remark(const std::string& job_name, const std::string& text, const Style& style);

// One line of `muster events`: time, attempt, kind, sentence.
std::string timeline_line(const JobEvent& event, const Style& style);

// "2 ranks on this machine", "3 ranks in 2 groups on this machine", "8 ranks on 4 nodes (ssh)". Empty while the plan is
// unknown.
std::string size_of(const JobView& job);

// "failed: rank 1 …" → "rank 1 …", for places that already show the state.
std::string without_state(const std::string& sentence, const std::string& state);

// The framework for lines of a job. `any`, the framework of programs that muster does not know, is "framework unknown".
std::string framework_in_words(const std::string& framework);

// The arguments that name the job in a command: its name, and flags for its cluster if it is in one.
std::string asked_as(const JobView& job, const Style& style);

// The flag that names the rank with this index to muster logs and exec: " --rank 3", or " --rank trainer/3" if the groups of
// the job have worlds of their own. Empty if the job has no such rank.
std::string rank_flag(const JobView& job, std::optional<uint32_t> index);

// True for succeeded, failed, cancelled and damaged.
bool is_final(const std::string& state);

}  // namespace muster
