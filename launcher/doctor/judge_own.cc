// SPDX-License-Identifier: Apache-2.0
#include "core/base/text.h"
#include "launcher/doctor/doctor.h"

namespace muster {
namespace {

using Level = Finding::Level;

constexpr const char* fix = "muster doctor --fix";

Finding program(const OwnFacts& own) { return {Level::ok, "muster", own.version + " at " + own.program, "", ""}; }

Finding runtime(const OwnFacts& own) {
  if (!own.runtime_problem.empty())
    return {Level::problem, "runtime", own.runtime_problem, "no controller can be reached",
            "ls -ld /tmp/muster-$(id -u)"};
  if (own.stale_sockets.empty()) return {Level::ok, "runtime", own.runtime_folder, "", ""};
  return {Level::ok,
          "runtime",
          own.runtime_folder + ", with " + count_of(own.stale_sockets.size(), "socket") + " left by killed processes",
          "",
          fix,
          Fix::remove_sockets};
}

Finding leases(const OwnFacts& own) {
  return {
      Level::ok, "leases", count_of(own.dead_leases.size(), "file") + " in /tmp/muster-leases that no process holds",
      "",        fix,      Fix::remove_leases};
}

// The next command that needs a controller replaces an idle one. A controller with live jobs keeps running.
Finding misfit(const OwnFacts& own, const std::string& who, const std::string& why, const std::string& effect) {
  if (own.live_jobs == 0)
    return {Level::ok, "controller", who + why + "; the next job replaces this controller",
            "",        fix,          Fix::end_controller};
  return {Level::note, "controller", who + why, effect + " until its jobs have ended", "muster ps"};
}

Finding controller(const OwnFacts& own) {
  if (!own.listens) return {Level::ok, "controller", "not running; muster run starts it", "", ""};
  const std::string pid = own.controller_pid.empty() ? "PID" : own.controller_pid;
  if (own.controller_version.empty())
    return {Level::problem, "controller", "pid " + pid + " does not answer", "every command waits for the controller",
            "kill -CONT " + pid + ", or kill -9 " + pid + ": jobs continue, and the next controller takes over"};
  const std::string who = own.controller_version + ", pid " + pid + ", " + count_of(own.live_jobs, "live job");
  if (own.other_build) return misfit(own, who, ", of another build than this program", "newer features do not work");
  if (!own.poorer.empty())
    return misfit(own, who, ", with lower limits than this shell (" + short_list(own.poorer, 4) + ")",
                  "ranks get the controller's limits");
  return {Level::ok, "controller", who, "", ""};
}

Finding settings(const std::string& problem) {
  return {Level::problem, "settings", problem, "no controller starts", "unset " + problem.substr(0, problem.find(':'))};
}

}  // namespace

std::vector<Finding> judge_own(const DoctorFacts& facts) {
  std::vector<Finding> findings = {program(facts.own), runtime(facts.own)};
  if (!facts.own.dead_leases.empty()) findings.push_back(leases(facts.own));
  findings.push_back(controller(facts.own));
  if (!facts.own.settings_problem.empty()) findings.push_back(settings(facts.own.settings_problem));
  return findings;
}

}  // namespace muster
