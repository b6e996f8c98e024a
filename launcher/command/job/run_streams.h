// SPDX-License-Identifier: Apache-2.0
// What the ranks of `muster run` get of its terminal and stdin.
#pragma once

#include <string>

#include "core/base/result.h"
#include "core/client/caller_context.h"
#include "core/job/caller_streams.h"
#include "core/job/job_spec.h"

namespace muster {

struct RunStreams {
  CallerStreams streams;
  int copy_stdin_to = -1;  // FollowPlan::copy_stdin_to
};

// `input`: the value of --stdin. `as_text`: the output is not a document. invalid_argument: `input` is wrong, or not possible for this
// job; the message says what is.
Result<RunStreams> streams_for_run(const CallerContext& caller, const JobSpec& spec, const std::string& input,
                                   bool as_text);

// The sentence to print after such a job has failed, if its ranks may have missed the data that this command's stdin has; else
// empty. A job that succeeded missed nothing, and the stdin of scripts and CI often has data that is not meant for ranks.
std::string missed_stdin_note(const JobSpec& spec, const std::string& input);

}  // namespace muster
