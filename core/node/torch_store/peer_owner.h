// PeerOwner: whose process is at the other end of a connection, if it is one of this machine. The kernel says so: by
// NETLINK_SOCK_DIAG (about 10 us), or where that is not to be had by /proc/net/tcp and tcp6. Protocol:
// linux/inet_diag.h, sock_diag(7).
//
// The end of a process that is gone says nothing: the kernel counts a socket without a process as root's. One thread.
#pragma once

#include <sys/types.h>

#include <optional>

#include "core/node/torch_store/address.h"
#include "core/system/posix/unique_fd.h"

namespace muster::tcpstore {

struct Owner {
  enum class Kind {
    process,    // of this machine; its user is `user`
    gone,       // of this machine, and closed by now
    elsewhere,  // no socket of this machine (or of another network namespace of it)
    unknown,    // the kernel does not tell
  };
  Kind kind = Kind::unknown;
  uid_t user = 0;
  bool operator==(const Owner&) const = default;
};

class PeerOwner {
 public:
  PeerOwner();

  // `peer` is the other end as seen at ours, `here`.
  Owner of(const SocketEnd& peer, const SocketEnd& here) const;

  // The two ways; nullopt: not to be had.
  std::optional<Owner> by_netlink(const SocketEnd& peer, const SocketEnd& here) const;
  static std::optional<Owner> by_proc(const SocketEnd& peer, const SocketEnd& here);

 private:
  UniqueFd netlink_;
};

}  // namespace muster::tcpstore
