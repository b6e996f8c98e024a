// SPDX-License-Identifier: Apache-2.0
#include "backends/ssh/doctor/judge_hosts.h"

#include <cstdio>
#include <cstdlib>
#include <map>
#include <optional>
#include <set>

#include "backends/ssh/session/host_session.h"
#include "core/base/text.h"

namespace muster {
namespace {

using Level = Finding::Level;

constexpr uint64_t kLeastDisk = 64 << 20;
constexpr uint64_t kLittleDisk = 2ULL << 30;
constexpr Duration kApart = std::chrono::seconds(2);
constexpr size_t kMostNamed = 4;

std::string seconds_text(Duration time) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f s", std::chrono::duration<double>(time).count());
  return text;
}

Finding disk(const HostReport& report) {
  const std::string free = humane_size(report.facts->disk_free_bytes) + " free in " + report.folder;
  return {report.facts->disk_free_bytes < kLeastDisk ? Level::problem : Level::note, report.host.name, free,
          "jobs keep their code and output there", "ssh " + report.host.name + " df -h " + report.folder};
}

std::optional<Finding> clock(const HostReport& report) {
  const Duration off = report.ahead < Duration(0) ? -report.ahead : report.ahead;
  if (off <= report.unsure + kApart) return std::nullopt;
  return Finding{
      Level::note, report.host.name,
      "its clock is " + seconds_text(off) + (report.ahead > Duration(0) ? " ahead of" : " behind") + " this machine's",
      "timestamps in logs do not match, and new files may look old",
      "synchronise it with a time server: chronyd or systemd-timesyncd"};
}

// "10:30:100", or a number: above the first number of unauthenticated connections, sshd refuses some.
std::optional<std::pair<std::string, std::string>> few_startups(const HostFacts& facts) {
  const int first = std::atoi(facts.max_startups.c_str());
  if (facts.max_startups.empty() || first >= static_cast<int>(kHostsAtOnce)) return std::nullopt;
  return std::pair(
      "MaxStartups is " + facts.max_startups + " in its sshd_config",
      "sshd may refuse logins of muster if it is a jump host for others, or if others log in at the same time; "
      "muster retries them");
}

void judge_host(const HostReport& report, std::vector<Finding>& findings) {
  const std::string& name = report.host.name;
  if (!report.facts) {
    findings.push_back({Level::problem, name, report.trouble.sentence, "jobs cannot run there", report.trouble.next});
    return;
  }
  const HostFacts& facts = *report.facts;
  const size_t before = findings.size();
  if (facts.disk_free_bytes < kLittleDisk) findings.push_back(disk(report));
  if (auto apart = clock(report)) findings.push_back(std::move(*apart));
  if (!facts.proxy.empty())
    findings.push_back({Level::note, name, facts.proxy + " is set there, and no_proxy lacks localhost or 127.0.0.1",
                        "HTTP and gRPC connections to hosts go through the proxy",
                        "set no_proxy to localhost,127.0.0.1 and the hosts in `env` of the job"});
  if (!facts.gpu_users.empty())
    findings.push_back({Level::note, name, "its GPUs are in use: " + short_list(facts.gpu_users, kMostNamed),
                        "a job that requests GPUs waits for these, unless it sets `busy_gpus: take`",
                        "ssh " + name + " nvidia-smi"});
  if (const auto few = few_startups(facts))
    findings.push_back({Level::note, name, few->first, few->second,
                        "set MaxStartups 100 in /etc/ssh/sshd_config on " + name + ", then sudo systemctl reload ssh"});
  if (findings.size() > before) return;
  const std::string gpus = facts.gpus.empty() ? "" : ", " + count_of(facts.gpus.size(), "GPU");
  findings.push_back(
      {Level::ok, name, count_of(facts.cpus, "CPU") + gpus + ", " + humane_size(facts.memory_bytes), "", ""});
}

// `of` returns the value of a host; nullopt: the host is not compared.
template <typename Of>
void compare(const std::vector<HostReport>& reports, const Finding& template_of, const Of& of,
             std::vector<Finding>& findings) {
  std::map<std::string, std::vector<std::string>> by_value;
  for (const HostReport& report : reports) {
    const auto value = report.facts ? of(*report.facts) : std::nullopt;
    if (value) by_value[*value].push_back(report.host.name);
  }
  if (by_value.size() < 2) return;
  std::vector<std::string> texts;
  for (const auto& [value, hosts] : by_value)
    texts.push_back((value.empty() ? "none" : value) + " on " + short_list(hosts, kMostNamed));
  Finding found = template_of;
  found.text = "hosts differ: " + join(texts, "; ");
  findings.push_back(std::move(found));
}

void judge_one_machine(const std::vector<HostReport>& reports, std::vector<Finding>& findings) {
  std::map<std::string, std::string> names;
  for (const HostReport& report : reports) {
    if (!report.facts || report.facts->machine.empty()) continue;
    const auto [first, is_new] = names.insert({report.facts->machine, report.host.name});
    if (!is_new)
      findings.push_back({Level::problem, report.host.name, "it is the same machine as " + first->second,
                          "a job cannot use one machine as two hosts",
                          "list one of the two names, with slots for all ranks"});
  }
}

// judge_needs() reports a missing interpreter, and a missing package that the job needs.
std::optional<std::string> comparable(const HostFacts& facts, const std::string& version, const std::string& package,
                                      const std::optional<JobNeeds>& needs) {
  const bool needed = needs && needs->packages.count(package) > 0;
  if (facts.python.empty() || (version.empty() && needed)) return std::nullopt;
  return version;
}

std::string one_version(const std::vector<HostReport>& reports, const std::string& package,
                        const std::optional<JobNeeds>& needs) {
  const std::string command = install_one_version(reports, package, needs ? needs->python : "");
  return command.empty() ? "install one version on all hosts, for example in a virtual environment" : command;
}

void judge_packages(const std::vector<HostReport>& reports, const std::optional<JobNeeds>& needs,
                    std::vector<Finding>& findings) {
  std::set<std::string> names;
  for (const HostReport& report : reports) {
    if (!report.facts) continue;
    for (const auto& [name, version] : report.facts->packages) names.insert(name);
  }
  for (const std::string& name : names) {
    const bool communicates = name.find("nccl") != std::string::npos;
    compare(
        reports,
        {communicates ? Level::problem : Level::note, name, "",
         communicates ? "ranks with different versions cannot communicate"
                      : "ranks may not be able to read each other's data",
         one_version(reports, name, needs)},
        [&](const HostFacts& facts) {
          const auto found = facts.packages.find(name);
          return comparable(facts, found == facts.packages.end() ? "" : found->second, name, needs);
        },
        findings);
  }
}

}  // namespace

std::vector<Finding> judge_hosts(const std::vector<HostReport>& reports, const std::optional<JobNeeds>& needs) {
  std::vector<Finding> findings;
  for (const HostReport& report : reports) judge_host(report, findings);
  judge_one_machine(reports, findings);
  for (Finding& lacks : judge_needs(reports, needs)) findings.push_back(std::move(lacks));
  compare(
      reports,
      {Level::note, "python", "", "ranks may not be able to unpickle each other's data",
       "put one version in PATH on all hosts; check it with ssh HOST python3 --version"},
      [&](const HostFacts& facts) { return comparable(facts, facts.python, "python", needs); }, findings);
  compare(
      reports,
      {Level::problem, "torch", "", "ranks with different versions cannot communicate",
       one_version(reports, "torch", needs)},
      [&](const HostFacts& facts) { return comparable(facts, facts.torch, "torch", needs); }, findings);
  judge_packages(reports, needs, findings);
  compare(
      reports,
      {Level::note, "gpu driver", "", "collectives may differ or fail",
       "install one driver version on all hosts; check it with ssh HOST nvidia-smi"},
      [](const HostFacts& facts) { return std::optional(facts.driver); }, findings);
  return findings;
}

std::vector<Finding> judge_ways(const std::vector<Blocked>& blocked, size_t all) {
  std::vector<Finding> findings;
  for (const Blocked& each : blocked) {
    if (each.to.empty()) {
      findings.push_back({Level::problem, each.from, "connections to the other hosts were not tested: " + each.why, "",
                          "check ssh " + each.from + " true, then run muster doctor again"});
      continue;
    }
    findings.push_back({Level::problem, each.from + " → " + each.to,
                        "no connection to TCP ports 20000-27999: " + each.why,
                        "ranks on these two hosts cannot connect",
                        "open these ports in the firewall, most likely on " + each.to + ": sudo nft list ruleset"});
  }
  if (findings.empty() && all > 1)
    findings.push_back(
        {Level::ok, "ways", count_of(all, "host") + " reach each other on TCP ports 20000-27999", "", ""});
  return findings;
}

}  // namespace muster
