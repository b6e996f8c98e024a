// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "core/base/text.h"
#include "core/client/doctor/parse.h"
#include "launcher/doctor/doctor.h"

namespace muster {
namespace {

using Level = Finding::Level;

std::string span_text(PortSpan span) { return std::to_string(span.first) + "-" + std::to_string(span.last); }

Finding ports(const DoctorFacts& facts) {
  const NetworkFacts& net = facts.network;
  const size_t all = net.leased.last - net.leased.first + 1u;
  const std::string range = "TCP ports " + span_text(net.leased);
  const std::string taken = humane_count(net.taken) + " of " + humane_count(all) + " " + range + " are taken";
  const std::string who = "ss -tan 'sport >= " + std::to_string(net.leased.first) +
                          " and sport <= " + std::to_string(net.leased.last) + "'";
  if (net.taken >= all) return {Level::problem, "ports", taken, "no job can get a port", who};
  if (net.taken > all / 2)
    return {Level::note, "ports", taken, "jobs need longer to find a port, and may find none", who};
  if (!net.ephemeral || !overlap(*net.ephemeral, net.leased))
    return {Level::ok, "ports", range + " are available", "", ""};
  const PortSpan shared = {std::max(net.ephemeral->first, net.leased.first),
                           std::min(net.ephemeral->last, net.leased.last)};
  if (covers(net.reserved, shared)) return {Level::ok, "ports", range + " are available", "", ""};
  return {Level::note, "ports", range + " overlap the kernel's ephemeral ports (" + span_text(*net.ephemeral) + ")",
          "a connection of any program may take a port that a job is about to use",
          by_root(facts, "sysctl -w net.ipv4.ip_local_reserved_ports=" + span_text(shared))};
}

Finding loopback(const DoctorFacts& facts) {
  if (facts.network.loopback_problem.empty()) return {Level::ok, "loopback", "127.0.0.1 answers", "", ""};
  return {Level::problem, "loopback", facts.network.loopback_problem, "ranks cannot connect to each other",
          by_root(facts, "ip link set lo up") + "; " + by_root(facts, "nft list ruleset")};
}

Finding judge_host_name(const DoctorFacts& facts) {
  const NetworkFacts& net = facts.network;
  if (!net.host_resolves) return {Level::ok, "host name", net.host, "", ""};
  if (*net.host_resolves) return {Level::ok, "host name", net.host + " resolves to an address", "", ""};
  return {Level::note, "host name", net.host + " does not resolve to an address",
          "gloo and other programs that resolve it fail or wait",
          "echo '127.0.1.1 " + net.host + "' | " + by_root(facts, "tee -a /etc/hosts")};
}

Finding proxy(const NetworkFacts& net) {
  if (net.proxy_spares_us) return {Level::ok, "proxy", net.proxy + " is set, but not used for this machine", "", ""};
  return {Level::note, "proxy", net.proxy + " is set, and no_proxy lacks localhost or 127.0.0.1",
          "HTTP and gRPC connections to this machine go through the proxy",
          "export no_proxy=localhost,127.0.0.1,::1${no_proxy:+,$no_proxy}"};
}

}  // namespace

std::vector<Finding> judge_network(const DoctorFacts& facts) {
  std::vector<Finding> findings = {ports(facts), loopback(facts), judge_host_name(facts)};
  if (!facts.network.proxy.empty()) findings.push_back(proxy(facts.network));
  return findings;
}

}  // namespace muster
