// SPDX-License-Identifier: Apache-2.0
#include "launcher/command/job/run_streams.h"

#include <algorithm>

#include "core/base/text.h"
#include "launcher/follow/stdin_choice.h"

namespace muster {
namespace {

// nullopt: it depends on the machine or the hosts.
std::optional<uint64_t> known_ranks(const JobSpec& spec) {
  uint64_t total = 0;
  for (const GroupSpec& group : spec.groups) {
    if (group.workers.automatic || group.min_nodes != group.max_nodes) return std::nullopt;
    total += uint64_t{group.workers.count} * group.max_nodes;
  }
  return total;
}

Status wrong(const std::string& sentence) { return {Code::invalid_argument, sentence}; }

Status refusal(const CallerContext& caller, const JobSpec& spec, const StdinChoice& choice, bool keys) {
  if (choice.none()) return {};
  if (spec.backend == BackendKind::ssh)
    return wrong("--stdin is only for ranks on this machine; --tty RANK connects a rank on a host to your terminal");
  if (spec.backend == BackendKind::kubernetes)
    return wrong(
        "--stdin is only for ranks on this machine; a job in a cluster reads its input from a file or a volume");
  if (spec.tty_rank) return wrong("--tty already passes what you type to a rank; choose one of --tty and --stdin");
  const auto ranks = known_ranks(spec);
  if (choice.rank && ranks && *choice.rank >= *ranks)
    return wrong("--stdin: there is no rank " + std::to_string(*choice.rank) + ", the job has " +
                 count_of(*ranks, "rank"));
  if (caller.stdin_tty && !keys)
    return wrong("--stdin reads a pipe or a file here; --tty RANK connects one rank to your terminal");
  return {};
}

}  // namespace

Result<RunStreams> streams_for_run(const CallerContext& caller, const JobSpec& spec, const std::string& input,
                                   bool as_text) {
  const auto choice = parse_stdin_choice(input);
  if (!choice.ok()) return choice.status();
  // The rank would wait for keys that nobody can type.
  if (spec.tty_rank && choice->none() && !caller.interactive())
    return wrong(
        "a job with --tty or `tty` needs a terminal as stdin and stderr of this command; run it at one, or add -d and "
        "connect to the job later with muster attach");
  RunStreams here;
  const bool may_have_window = as_text && spec.backend == BackendKind::local && !spec.tty_rank;
  const bool reads = !choice->none() && known_ranks(spec) == 1;
  if (may_have_window) here.streams.window = window_here(caller, reads);
  const bool keys = here.streams.window && here.streams.window->keys;
  if (const Status refused = refusal(caller, spec, *choice, keys); !refused.ok()) return refused;
  if (keys) return here;
  auto given = stdin_for_ranks(caller, *choice);
  if (!given.ok()) return given.status();
  here.streams.input = given->input;
  here.copy_stdin_to = given->copy_to.release();
  return here;
}

std::string missed_stdin_note(const JobSpec& spec, const std::string& input) {
  if (!input.empty() || spec.backend != BackendKind::local || spec.tty_rank || !stdin_has_unread_data()) return "";
  return "no rank got the data on stdin; --stdin 0 sends it to rank 0, and --stdin all to every rank";
}

}  // namespace muster
