// SPDX-License-Identifier: Apache-2.0
// PeerOwner: finds the user whose process is at the other end of a connection, if that process runs on this machine.
// Uses NETLINK_SOCK_DIAG (about 10 us; linux/inet_diag.h, sock_diag(7)), or /proc/net/tcp and tcp6 if netlink is not
// available.
//
// A socket whose process has exited is reported as `gone`: the kernel lists it as root's. One thread.
#pragma once

#include <sys/types.h>

#include <optional>

#include "core/node/torch_store/address.h"
#include "core/system/posix/unique_fd.h"

namespace muster::tcpstore {

struct Owner {
  enum class Kind {
    process,    // a process of this machine that belongs to `user`
    gone,       // a socket of this machine that has been closed
    elsewhere,  // not a socket of this machine's network namespace
    unknown,    // the kernel does not report it
  };
  Kind kind = Kind::unknown;
  uid_t user = 0;
  bool operator==(const Owner&) const = default;
};

class PeerOwner {
 public:
  PeerOwner();

  // `peer` is the remote end as seen from the local end `here`.
  Owner of(const SocketEnd& peer, const SocketEnd& here) const;

  // The two methods; nullopt: the method is not available.
  std::optional<Owner> by_netlink(const SocketEnd& peer, const SocketEnd& here) const;
  static std::optional<Owner> by_proc(const SocketEnd& peer, const SocketEnd& here);

 private:
  UniqueFd netlink_;
};

}  // namespace muster::tcpstore
