// SPDX-License-Identifier: Apache-2.0
#include "launcher/torchrun/meeting.h"

#include <cctype>
#include <limits>
#include <map>

#include "core/base/text.h"
#include "core/port/tcp_target.h"
#include "launcher/torchrun/endpoint.h"
#include "launcher/torchrun/python_text.h"

namespace muster {
namespace {

constexpr uint16_t kStaticPort = 29500;
constexpr uint16_t kC10dPort = 29400;
constexpr int64_t kMostSeconds = 365LL * 24 * 3600;
// torch.distributed.elastic.rendezvous: static_tcp_rendezvous.py, dynamic_rendezvous.py (2.15).
constexpr int64_t kStaticTimeout = 900;
constexpr int64_t kJoinTimeout = 600;
constexpr int64_t kLastCall = 30;
constexpr Duration kLaterCall = std::chrono::seconds(5);

using Conf = std::map<std::string, std::string>;

Status wrong_endpoint(const std::string& sentence) { return {Code::invalid_argument, sentence}; }

Result<Duration> seconds_of(const Conf& conf, const char* key, int64_t otherwise) {
  const auto found = conf.find(key);
  const auto seconds = found == conf.end() ? otherwise : python_int(found->second);
  if (seconds && *seconds >= 0 && *seconds <= kMostSeconds) return Duration(std::chrono::seconds(*seconds));
  return wrong_endpoint("--rdzv-conf " + std::string(key) + " wants seconds, not `" + escaped(found->second) + "`");
}

// As torch's RendezvousParameters.get_as_bool reads it.
Result<std::optional<bool>> bool_of(const Conf& conf, const char* key) {
  const auto found = conf.find(key);
  if (found == conf.end()) return std::optional<bool>();
  std::string value = found->second;
  for (char& letter : value) letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  for (const char* yes : {"1", "true", "t", "yes", "y"}) {
    if (value == yes) return std::optional<bool>(true);
  }
  for (const char* no : {"0", "false", "f", "no", "n"}) {
    if (value == no) return std::optional<bool>(false);
  }
  return wrong_endpoint("--rdzv-conf " + std::string(key) + " wants true or false, not `" + escaped(found->second) +
                        "`");
}

Status take_static(const TorchrunFlags& flags, const Conf& conf, Meeting& meeting) {
  if (flags.rdzv_endpoint.empty()) {
    meeting.host = flags.master_addr;
    meeting.port = static_cast<uint16_t>(flags.master_port.value_or(kStaticPort));
  }
  meeting.nodes.least = meeting.nodes.most;  // torch waits for all
  meeting.node_rank = static_cast<uint32_t>(flags.node_rank);
  if (*meeting.node_rank >= meeting.nodes.most) {
    return wrong_endpoint("--node-rank " + std::to_string(flags.node_rank) + " of --nnodes " + escaped(flags.nnodes) +
                          ": node ranks are counted from 0");
  }
  const auto patience = seconds_of(conf, "timeout", kStaticTimeout);
  if (patience.ok()) meeting.patience = *patience;
  return patience.status();
}

Status take_c10d(const TorchrunFlags& flags, const Conf& conf, Meeting& meeting) {
  if (flags.rdzv_endpoint.empty()) {
    return wrong_endpoint("--nnodes " + escaped(flags.nnodes) +
                          " needs --rdzv-endpoint HOST:PORT, the address of one of the hosts, the same on every host");
  }
  const auto is_host = bool_of(conf, "is_host");
  const auto patience = seconds_of(conf, "join_timeout", kJoinTimeout);
  const auto last_call = seconds_of(conf, "last_call_timeout", kLastCall);
  // torch's store uses these two timeouts. muster only checks them, because its store does not wait for hosts.
  const Status store = seconds_of(conf, "timeout", 0).status();
  const Status reading = seconds_of(conf, "read_timeout", 0).status();
  for (const Status& read : {is_host.status(), patience.status(), last_call.status(), store, reading}) {
    if (!read.ok()) return read;
  }
  meeting.is_host = *is_host;
  meeting.patience = *patience;
  meeting.last_call = *last_call;
  // A running gang gains less from a long wait, and hosts that come later can still join.
  meeting.later_call = conf.contains("last_call_timeout") ? *last_call : Duration(kLaterCall);
  return {};
}

}  // namespace

std::string Meeting::text() const { return host_port(host, port); }

Result<NodeRange> nodes_of(const std::string& nnodes) {
  const std::vector<std::string> parts = split(nnodes, ':');
  const auto least = python_int(parts.front());
  const auto most = python_int(parts.back());
  const std::string quoted = "`" + escaped(nnodes) + "`";
  if (parts.size() > 2 || !least || !most) return wrong_endpoint("--nnodes wants N or MIN:MAX, not " + quoted);
  if (*least < 1) return wrong_endpoint("--nnodes wants at least 1 node, not " + quoted);
  if (*least > *most)
    return wrong_endpoint("--nnodes " + escaped(nnodes) + " has the smaller number last; use MIN:MAX");
  constexpr int64_t kMost = std::numeric_limits<uint16_t>::max();
  if (*most > kMost) return wrong_endpoint("--nnodes wants at most 65,535 nodes, not " + quoted);
  return NodeRange{static_cast<uint32_t>(*least), static_cast<uint32_t>(*most)};
}

bool address_typed(const TorchrunFlags& flags) {
  return !flags.rdzv_endpoint.empty() || flags.master_port || flags.master_addr != TorchrunFlags().master_addr ||
         flags.node_rank != 0;
}

Result<Meeting> meeting_of(const TorchrunFlags& flags, const NodeRange& nodes) {
  const bool by_rank = flags.rdzv_backend == "static";
  if (!by_rank && flags.rdzv_backend != "c10d") {
    return Status(Code::unimplemented,
                  "--rdzv-backend " + escaped(flags.rdzv_backend) +
                      " needs a separate service; use c10d with --rdzv-endpoint HOST:PORT, which needs none");
  }
  const HostPort endpoint = split_endpoint(flags.rdzv_endpoint);
  Meeting meeting{nodes, flags.rdzv_id, endpoint.host, endpoint.port.value_or(by_rank ? kStaticPort : kC10dPort)};
  meeting.local_addr = flags.local_addr.value_or("");
  const Conf conf = rendezvous_conf(flags.rdzv_conf);
  const Status taken = by_rank ? take_static(flags, conf, meeting) : take_c10d(flags, conf, meeting);
  if (!taken.ok()) return taken;
  if (meeting.port == 0) return wrong_endpoint("several hosts need the same fixed port; 0 is not allowed");
  return meeting;
}

}  // namespace muster
