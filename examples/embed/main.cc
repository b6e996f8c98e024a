// SPDX-License-Identifier: Apache-2.0
// embed JOB_FILE: submits a job file to the user's controller, prints the output of its ranks and the job's result. The exit
// code is that of `muster run`. A complete front end that links only muster::client.
#include <cstdio>

#include "core/client/connect/connect.h"
#include "core/client/exit_code.h"
#include "core/client/run_program.h"
#include "core/client/submission/job_draft.h"
#include "core/system/asio/asio_loop.h"

namespace {

using namespace muster;

int fail(const std::string& sentence, int code) {
  std::fprintf(stderr, "error: %s\n", sentence.c_str());
  return code;
}

// Follows `job` until it ends; returns its exit code.
int follow(AsioLoop& loop, ControlClient& client, const JobView& job) {
  bool over = false;
  Status status;
  JobView last = job;
  const auto show = [&](const FollowItem& item) {
    if (const auto* view = std::get_if<JobView>(&item.item)) last = *view;
    if (const auto* chunk = std::get_if<OutputChunk>(&item.item))
      std::fwrite(chunk->bytes.data(), 1, chunk->bytes.size(), stdout);
  };
  const auto end = [&](const Status& why) { over = true, status = why; };
  const auto following = client.follow({.job = job.id.text(), .events = true, .output = true}, show, end);
  while (!over && loop.run_one()) {
  }
  if (!status.ok()) return fail(status.message(), exit_code_of(status));
  std::printf("%s %s\n", last.name.c_str(), (last.sentence.empty() ? last.state : last.sentence).c_str());
  return last.exit_code;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return fail("usage: embed JOB_FILE", exit_usage);
  CallerContext here = read_caller_context(argv[0]);
  // The program that is started as the controller, if none is running.
  here.program = find_program("muster", here.variable("PATH").value_or(""), here.workdir);
  if (here.program.empty()) return fail("there is no muster in PATH; add the folder that contains it", exit_usage);
  auto draft = draft_job({.files = {argv[1]}}, here, {});
  if (!draft.ok()) return fail(draft.status().message(), exit_usage);
  const SubmitRequest request = complete_draft(*draft, here);
  for (const Diagnostic& each : draft->diagnostics)
    std::fprintf(stderr, "%s:%u: %s\n", each.where.file.c_str(), static_cast<unsigned>(each.where.line),
                 each.message.c_str());
  if (has_errors(draft->diagnostics)) return exit_usage;

  AsioLoop loop;
  const auto client = connect_controller(here, loop, true);
  if (!client.ok()) return fail(client.status().message(), exit_code_of(client.status()));
  const auto job = (*client)->submit(request);
  if (!job.ok()) return fail(job.status().message(), exit_code_of(job.status()));
  return follow(loop, **client, *job);
}
