// gRPC as muster wants it: local sockets, no environment, no noise. Internal to adapter/grpc. Any thread.
#pragma once

#include <grpcpp/channel.h>
#include <grpcpp/security/server_credentials.h>
#include <grpcpp/server_builder.h>

#include <memory>
#include <string>

#include "core/base/result.h"
#include "core/port/tcp_target.h"

namespace muster {

constexpr int kMaxMessageBytes = 64 << 20;       // one message, either way
constexpr int kMaxFarMessageBytes = 16 << 20;    // of a host: reports of 1,000 ranks with their stacks are half of it
constexpr size_t kMaxLinkQueueBytes = 64 << 20;  // waiting for one agent or coordinator; more closes the link
constexpr size_t kFollowWindowBytes = 1 << 20;   // waiting for one viewer (port/control.h)
constexpr size_t kMaxSentenceBytes = 64 << 10;   // of a status; the rest is cut

// Trailing metadata that says: this status is muster's own, not the transport's.
constexpr char kOwnStatus[] = "muster";

// Silences gRPC's log for this process, except for the assertion it is about to abort on. Cheap when repeated.
void quiet_grpc();

// How gRPC wants to be told of a socket: as a URI, on both sides.
std::string unix_target(const std::string& path);

// The same of TCP: "ipv4:10.0.0.1:29400".
std::string tcp_target(const TcpTarget& target);

void apply_server_settings(grpc::ServerBuilder& builder);
// For a server that listens beyond this machine: peers that vanish without a word are found out.
void apply_tcp_server_settings(grpc::ServerBuilder& builder);
// For connections through ssh, which may be slow, and whose other end may vanish just so. What comes over them is a host's word:
// one has a stream and the next that takes its place, and no message makes us hold more than it ever needs.
void apply_adopting_server_settings(grpc::ServerBuilder& builder);
std::shared_ptr<grpc::ServerCredentials> server_credentials(const std::optional<TlsIdentity>& tls);

// A channel of its own connection; connects at the first call, whose failure to connect is immediate.
std::shared_ptr<grpc::Channel> local_channel(const std::string& socket_path);
// Over a connected, non-blocking socket, which the channel owns from now on.
std::shared_ptr<grpc::Channel> channel_over(int connection);
std::shared_ptr<grpc::Channel> tcp_channel(const TcpTarget& target);

// The numeric address in what gRPC calls a peer ("ipv4:10.0.0.2:4711"), the name of one that it was given ("fd:17"); empty: neither.
std::string peer_address(const std::string& peer);

grpc::Status grpc_status(const Status& status);

// `who` names the peer in the sentence, such as "the controller at /run/…/control". `own`: the status carries
// kOwnStatus.
Status status_from(const grpc::Status& status, bool own, const std::string& who);

}  // namespace muster
