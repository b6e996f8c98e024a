// SPDX-License-Identifier: Apache-2.0
// Gathers facts about the connections that ranks need on this machine: TCP ports, loopback, the host name, no proxy in between.

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstring>

#include "core/client/doctor/parse.h"
#include "core/client/run_program.h"
#include "core/system/linux/host_name.h"
#include "core/system/linux/proc_files.h"
#include "core/system/posix/unique_fd.h"

namespace muster {
namespace {

constexpr int loopback_patience_ms = 300;
constexpr auto name_patience = std::chrono::milliseconds(800);

sockaddr_in loopback(uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

// Listens on the first free port of the span and returns it. 0: none is free; errno says why.
uint16_t listen_within(const UniqueFd& socket, PortSpan span) {
  for (uint32_t port = span.first; port <= span.last; ++port) {
    const sockaddr_in address = loopback(static_cast<uint16_t>(port));
    if (bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
      if (errno == EADDRINUSE) continue;
      return 0;
    }
    return listen(socket.get(), 1) == 0 ? static_cast<uint16_t>(port) : 0;
  }
  errno = EADDRINUSE;
  return 0;
}

// Connects to a port of the range that ranks use. If a firewall drops the connection or loopback is down, the ranks of
// every job would wait forever for each other. Empty: no problem.
std::string loopback_problem(PortSpan span) {
  const UniqueFd server(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const UniqueFd client(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const uint16_t port = server.valid() ? listen_within(server, span) : 0;
  if (port == 0) return std::string("cannot listen on 127.0.0.1: ") + std::strerror(errno);
  const sockaddr_in address = loopback(port);
  const std::string where = "127.0.0.1:" + std::to_string(port);
  if (connect(client.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) return "";
  if (errno != EINPROGRESS) return where + " cannot be reached: " + std::strerror(errno);
  pollfd ready{client.get(), POLLOUT, 0};
  if (poll(&ready, 1, loopback_patience_ms) <= 0) return where + " does not answer within 300 ms";
  int error = 0;
  socklen_t size = sizeof error;
  getsockopt(client.get(), SOL_SOCKET, SO_ERROR, &error, &size);
  return error == 0 ? "" : where + " cannot be reached: " + std::strerror(error);
}

// Runs getent, so that a name server that does not answer blocks getent and not this process.
std::optional<bool> resolves(const CallerContext& caller, const std::string& host) {
  if (names_host(read_small_file("/etc/hosts").value_or(""), host)) return true;
  const auto answer = run_program({.argv = {"getent", "ahosts", host},
                                   .environment = caller.environment,
                                   .patience = std::chrono::duration_cast<Duration>(name_patience)});
  if (answer.ok()) return answer->exit_code == 0;
  return answer.status().code() == Code::deadline_exceeded ? std::optional(false) : std::nullopt;
}

}  // namespace

NetworkFacts gather_network(const CallerContext& caller) {
  NetworkFacts facts;
  std::vector<uint16_t> ports;
  for (const char* table : {"/proc/net/tcp", "/proc/net/tcp6"})
    add_ports(read_small_file(table).value_or(""), facts.leased, ports);
  facts.taken = ports.size();
  facts.ephemeral = read_port_range(read_small_file("/proc/sys/net/ipv4/ip_local_port_range").value_or(""));
  facts.reserved = read_port_list(read_small_file("/proc/sys/net/ipv4/ip_local_reserved_ports").value_or(""));
  facts.loopback_problem = loopback_problem(facts.leased);
  facts.host = host_name();
  facts.host_resolves = resolves(caller, facts.host);
  facts.proxy = proxy_variable(caller.environment);
  facts.proxy_spares_us = spares_loopback(caller.environment);
  return facts;
}

}  // namespace muster
