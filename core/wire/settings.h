// SPDX-License-Identifier: Apache-2.0
// Settings of gRPC: local sockets, no environment variables, no log. Internal to core/wire. Any thread.
#pragma once

#include <grpcpp/channel.h>
#include <grpcpp/security/server_credentials.h>
#include <grpcpp/server_builder.h>

#include <memory>
#include <string>

#include "core/base/result.h"
#include "core/port/tcp_target.h"

namespace muster {

constexpr int kMaxMessageBytes = 64 << 20;  // of one message in either direction
constexpr int kMaxFarMessageBytes =
    16 << 20;  // of one message from another host; a report of 1,000 ranks with stacks has half
constexpr size_t kMaxLinkQueueBytes = 128 << 20;  // queued for one agent or coordinator; more closes the link
constexpr size_t kFollowWindowBytes = 1 << 20;    // queued for one viewer (port/control.h)
constexpr size_t kMaxSentenceBytes = 64 << 10;    // of the message of a status; the rest is cut

// Trailing metadata that marks a status as muster's own, not the transport's.
constexpr char kOwnStatus[] = "muster";

// Disables gRPC's log in this process, except for a failed assertion before gRPC aborts. Cheap if repeated.
void quiet_grpc();

// The URI of a UNIX socket for gRPC, for clients and servers.
std::string unix_target(const std::string& path);

// The URI of a TCP address: "ipv4:10.0.0.1:29400".
std::string tcp_target(const TcpTarget& target);

void apply_server_settings(grpc::ServerBuilder& builder);
// For a server that listens beyond this machine: detects peers that disappear without closing the connection.
void apply_tcp_server_settings(grpc::ServerBuilder& builder);
// For connections through ssh, which may be slow and may also disappear. A host is not trusted: each connection has at most two
// streams (the current one and its successor), and the size of messages is limited to what a host needs.
void apply_adopting_server_settings(grpc::ServerBuilder& builder);
std::shared_ptr<grpc::ServerCredentials> server_credentials(const std::optional<TlsIdentity>& tls);

// A channel with its own connection. It connects at the first call; if that is not possible, the call fails at once.
std::shared_ptr<grpc::Channel> local_channel(const std::string& socket_path);
// Over a connected, non-blocking socket, which the channel owns from now on.
std::shared_ptr<grpc::Channel> channel_over(int connection);
std::shared_ptr<grpc::Channel> tcp_channel(const TcpTarget& target);

// The numeric address in gRPC's name for a peer ("ipv4:10.0.0.2:4711"), or the name of an adopted connection ("fd:17"). Empty:
// neither.
std::string peer_address(const std::string& peer);

grpc::Status grpc_status(const Status& status);

// `who` names the peer in the message, such as "the controller at /run/…/control". `own`: the status has kOwnStatus.
Status status_from(const grpc::Status& status, bool own, const std::string& who);

}  // namespace muster
