// SPDX-License-Identifier: Apache-2.0
#include "core/node/torch_store/peer_owner.h"

#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/tcp.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <sstream>

namespace muster::tcpstore {
namespace {

struct Question {
  nlmsghdr header{};
  inet_diag_req_v2 body{};
};

void put_address(uint32_t* field, const Address& address) {
  if (is_ipv4(address)) {
    std::memcpy(field, address.data() + 12, 4);
  } else {
    std::memcpy(field, address.data(), 16);
  }
}

Question question_of(const SocketEnd& peer, const SocketEnd& here) {
  Question question;
  question.header.nlmsg_len = sizeof question;
  question.header.nlmsg_type = SOCK_DIAG_BY_FAMILY;
  question.header.nlmsg_flags = NLM_F_REQUEST;
  question.body.sdiag_family = is_ipv4(peer.address) ? AF_INET : AF_INET6;
  question.body.sdiag_protocol = IPPROTO_TCP;
  question.body.idiag_states = ~0u;
  question.body.id.idiag_sport = htons(peer.port);
  question.body.id.idiag_dport = htons(here.port);
  put_address(question.body.id.idiag_src, peer.address);
  put_address(question.body.id.idiag_dst, here.address);
  question.body.id.idiag_cookie[0] = question.body.id.idiag_cookie[1] = INET_DIAG_NOCOOKIE;
  return question;
}

Owner owner_of(unsigned state, unsigned long inode, uid_t user) {
  if (state != TCP_ESTABLISHED || inode == 0) return {Owner::Kind::gone};
  return {Owner::Kind::process, user};
}

// The format of /proc/net/tcp: words of four bytes in host byte order, in hexadecimal.
std::string proc_text(const SocketEnd& end, bool six) {
  char text[64];
  uint32_t words[4];
  std::memcpy(words, end.address.data(), 16);
  if (six) {
    std::snprintf(text, sizeof text, "%08X%08X%08X%08X:%04X", words[0], words[1], words[2], words[3], end.port);
  } else {
    std::snprintf(text, sizeof text, "%08X:%04X", words[3], end.port);
  }
  return text;
}

// nullopt: the file cannot be read.
std::optional<Owner> in_table(const char* path, const std::string& peer, const std::string& here) {
  std::ifstream table(path);
  std::string line;
  if (!std::getline(table, line)) return std::nullopt;
  while (std::getline(table, line)) {
    std::istringstream words(line);
    std::string number, local, remote, state, queues, timer, retransmits;
    uid_t user = 0;
    unsigned long timeout = 0, inode = 0;
    words >> number >> local >> remote >> state >> queues >> timer >> retransmits >> user >> timeout >> inode;
    if (words && local == peer && remote == here)
      return owner_of(static_cast<unsigned>(std::stoul(state, nullptr, 16)), inode, user);
  }
  return Owner{Owner::Kind::elsewhere};
}

}  // namespace

PeerOwner::PeerOwner() : netlink_(socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_SOCK_DIAG)) {}

Owner PeerOwner::of(const SocketEnd& peer, const SocketEnd& here) const {
  if (const std::optional<Owner> found = by_netlink(peer, here)) return *found;
  return by_proc(peer, here).value_or(Owner{});
}

std::optional<Owner> PeerOwner::by_netlink(const SocketEnd& peer, const SocketEnd& here) const {
  const Question question = question_of(peer, here);
  if (!netlink_.valid() || send(netlink_.get(), &question, sizeof question, 0) != sizeof question) return std::nullopt;
  alignas(nlmsghdr) char bytes[4096];
  const ssize_t got = recv(netlink_.get(), bytes, sizeof bytes, 0);
  if (got < static_cast<ssize_t>(sizeof(nlmsghdr))) return std::nullopt;
  const auto* header = reinterpret_cast<const nlmsghdr*>(bytes);
  if (header->nlmsg_type == NLMSG_ERROR) {
    if (got < static_cast<ssize_t>(NLMSG_LENGTH(sizeof(nlmsgerr)))) return std::nullopt;
    const auto* error = static_cast<const nlmsgerr*>(NLMSG_DATA(header));
    return error->error == -ENOENT ? std::optional(Owner{Owner::Kind::elsewhere}) : std::nullopt;
  }
  if (header->nlmsg_type != SOCK_DIAG_BY_FAMILY || got < static_cast<ssize_t>(NLMSG_LENGTH(sizeof(inet_diag_msg))))
    return std::nullopt;
  const auto* found = static_cast<const inet_diag_msg*>(NLMSG_DATA(header));
  // If there is no such connection, the kernel answers with a socket that listens at the port.
  if (found->id.idiag_dport != question.body.id.idiag_dport) return Owner{Owner::Kind::elsewhere};
  return owner_of(found->idiag_state, found->idiag_inode, found->idiag_uid);
}

std::optional<Owner> PeerOwner::by_proc(const SocketEnd& peer, const SocketEnd& here) {
  std::optional<Owner> found;
  if (is_ipv4(peer.address)) found = in_table("/proc/net/tcp", proc_text(peer, false), proc_text(here, false));
  if (found && found->kind != Owner::Kind::elsewhere) return found;
  // A dual-stack socket is listed here with its mapped address.
  const std::optional<Owner> six = in_table("/proc/net/tcp6", proc_text(peer, true), proc_text(here, true));
  return six ? six : found;
}

}  // namespace muster::tcpstore
