// SPDX-License-Identifier: Apache-2.0
#include "backends/ssh/doctor/judge_needs.h"

#include <algorithm>
#include <map>

#include "core/base/text.h"

namespace muster {
namespace {

using Level = Finding::Level;

constexpr size_t kMostHosts = 4;
constexpr const char* kUsualPython = "python3";
constexpr const char* kUsualPackage = "torch";

std::string version_on(const HostReport& report, const std::string& package) {
  if (package == kUsualPackage) return report.facts->torch;
  const auto found = report.facts->packages.find(package);
  return found == report.facts->packages.end() ? "" : found->second;
}

// "2.15.0" of "2.15.0+cu128": an index of packages has the part before the plus.
std::string released(const std::string& version) { return version.substr(0, version.find('+')); }

// The version that most hosts have; empty: no host has the package.
std::string usual_version(const std::vector<HostReport>& reports, const std::string& package) {
  std::map<std::string, size_t> count;
  for (const HostReport& report : reports) {
    if (report.facts && !version_on(report, package).empty()) ++count[released(version_on(report, package))];
  }
  const auto most = std::max_element(count.begin(), count.end(),
                                     [](const auto& one, const auto& other) { return one.second < other.second; });
  return most == count.end() ? "" : most->first;
}

std::string pip_install(const std::string& host, const std::string& python, const std::string& package,
                        const std::string& version) {
  return "ssh " + host + " " + (python.empty() ? kUsualPython : python) + " -m pip install " + package +
         (version.empty() ? "" : "==" + version);
}

std::string install_python(const std::string& host, const std::string& python) {
  if (python.find('/') != std::string::npos) return "ssh " + host + " ls -l " + python;
  return "ssh -t " + host + " sudo apt-get install " +
         (python == "python" ? "python-is-python3"
          : python.empty()   ? kUsualPython
                             : python);
}

Finding no_python(const HostReport& report, const std::optional<JobNeeds>& needs) {
  const std::string mend = install_python(report.host.name, needs ? needs->python : "");
  if (!needs || needs->python.empty())
    return {Level::note, report.host.name, "neither python nor python3 is in the PATH of ssh commands",
            "Python programs cannot run", mend};
  return {Level::problem, report.host.name,
          needs->python.find('/') == std::string::npos ? needs->python + " is not in the PATH of ssh commands"
                                                       : "there is no Python at " + needs->python,
          "the ranks cannot start", mend};
}

void judge_packages_of(const HostReport& report, const std::vector<HostReport>& reports, const JobNeeds& needs,
                       std::vector<Finding>& findings) {
  for (const std::string& package : needs.packages) {
    if (!version_on(report, package).empty()) continue;
    findings.push_back({Level::problem, report.host.name,
                        package + " is not installed" + (needs.python.empty() ? "" : " for its " + needs.python),
                        needs.why.empty() ? "the job's framework needs it" : needs.why,
                        pip_install(report.host.name, needs.python, package, usual_version(reports, package))});
  }
}

// For hosts that are all without it: differences between hosts are judged for themselves.
std::optional<Finding> no_host_has_torch(const std::vector<HostReport>& reports) {
  std::vector<std::string> hosts;
  for (const HostReport& report : reports) {
    if (!report.facts || report.facts->python.empty()) continue;
    if (!report.facts->torch.empty()) return std::nullopt;
    hosts.push_back(report.host.name);
  }
  if (hosts.empty()) return std::nullopt;
  return Finding{Level::note, kUsualPackage, "not installed on " + short_list(hosts, kMostHosts),
                 "torch programs cannot run", pip_install(hosts.front(), "", kUsualPackage, "")};
}

}  // namespace

std::vector<Finding> judge_needs(const std::vector<HostReport>& reports, const std::optional<JobNeeds>& needs) {
  std::vector<Finding> findings;
  for (const HostReport& report : reports) {
    if (!report.facts) continue;
    if (report.facts->python.empty()) {
      if (!needs || !needs->python.empty() || !needs->packages.empty()) findings.push_back(no_python(report, needs));
    } else if (needs) {
      judge_packages_of(report, reports, *needs, findings);
    }
  }
  if (needs) return findings;
  if (auto torch = no_host_has_torch(reports)) findings.push_back(std::move(*torch));
  return findings;
}

std::string install_one_version(const std::vector<HostReport>& reports, const std::string& package,
                                const std::string& python) {
  const std::string usual = usual_version(reports, package);
  for (const HostReport& report : reports) {
    if (report.facts && released(version_on(report, package)) != usual)
      return pip_install(report.host.name, python, package, usual);
  }
  return "";
}

}  // namespace muster
