// SPDX-License-Identifier: Apache-2.0
#include "core/wire/settings.h"

#include <grpc/support/log.h>
#include <grpcpp/create_channel.h>
#include <grpcpp/create_channel_posix.h>
#include <grpcpp/security/credentials.h>
#include <grpcpp/support/channel_arguments.h>

#include <climits>
#include <cstdio>
#include <cstring>

namespace muster {
namespace {

// Without the message, an abort could not be explained.
void log_only_assertions(gpr_log_func_args* args) {
  if (std::strncmp(args->message, "assertion failed", 16) != 0) return;
  std::fprintf(stderr, "muster: gRPC %s:%d: %s\n", args->file, args->line, args->message);
}

// The longest encoding of a message with kMaxSentenceBytes: gRPC writes special bytes as %XX.
constexpr int kMaxMetadataBytes = 4 * static_cast<int>(kMaxSentenceBytes);
constexpr int kWindowBytes = 256 << 10;  // of a stream inside HTTP/2
constexpr int kConnectPatienceMs = 5000;
// The size of a TLS frame in bytes: gRPC keeps a buffer of this size for each connection. An agent's report is smaller. A larger
// message takes several frames, with 22 bytes of overhead each.
constexpr int kTlsFrameBytes = 1024;

// Settings of both ends. No pings are needed: the kernel reports when a local peer dies, and missing heartbeats show when it
// hangs.
template <typename Set>
void apply_common(Set set) {
  set(GRPC_ARG_MAX_METADATA_SIZE, kMaxMetadataBytes);
  set(GRPC_ARG_HTTP2_BDP_PROBE, 0);
  set(GRPC_ARG_HTTP2_STREAM_LOOKAHEAD_BYTES, kWindowBytes);
  set(GRPC_ARG_KEEPALIVE_TIME_MS, INT_MAX);
  set(GRPC_ARG_ENABLE_CHANNELZ, 0);
  set(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  set(GRPC_ARG_TSI_MAX_FRAME_SIZE, kTlsFrameBytes);
}

grpc::ChannelArguments client_arguments() {
  grpc::ChannelArguments arguments;
  apply_common([&](const char* name, int value) { arguments.SetInt(name, value); });
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  arguments.SetInt(GRPC_ARG_SERVICE_CONFIG_DISABLE_RESOLUTION, 1);
  arguments.SetInt(GRPC_ARG_ENABLE_RETRIES, 0);
  arguments.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, kConnectPatienceMs);
  arguments.SetMaxReceiveMessageSize(kMaxMessageBytes);
  arguments.SetMaxSendMessageSize(kMaxMessageBytes);
  return arguments;
}

constexpr int kPingEveryMs = 5000;

// A host that lost power or network does not close its connections. It is pinged every 5 s and given up 5 s after a lost ping.
template <typename Set>
void apply_pings(Set set, int patience_ms = kPingEveryMs) {
  set(GRPC_ARG_KEEPALIVE_TIME_MS, kPingEveryMs);
  set(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, patience_ms);
  set(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1);
  set(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0);
}

// Disables features that need memory for every link and that no link uses: compression of messages, deadlines of calls, and
// zero-copy sending.
template <typename Set>
void apply_lean_links(Set set) {
  set(GRPC_ARG_ENABLE_PER_MESSAGE_COMPRESSION, 0);
  set(GRPC_ARG_ENABLE_PER_MESSAGE_DECOMPRESSION, 0);
  set(GRPC_ARG_ENABLE_DEADLINE_CHECKS, 0);
  set(GRPC_ARG_TCP_TX_ZEROCOPY_MAX_SIMULT_SENDS, 0);
  set(GRPC_ARG_HTTP2_HPACK_TABLE_SIZE_DECODER, 0);
}

std::shared_ptr<grpc::ChannelCredentials> channel_credentials(const std::optional<TlsIdentity>& tls) {
  if (!tls) return grpc::InsecureChannelCredentials();
  return grpc::SslCredentials({tls->authority, tls->key, tls->certificate});
}

bool plain_in_uri(char letter) {
  const auto between = [letter](char low, char high) { return letter >= low && letter <= high; };
  return between('a', 'z') || between('A', 'Z') || between('0', '9') || std::strchr("/._-~", letter) != nullptr;
}

}  // namespace

void quiet_grpc() {
  static const bool done = [] {
    gpr_set_log_function(log_only_assertions);
    gpr_set_log_verbosity(GPR_LOG_SEVERITY_ERROR);
    return true;
  }();
  static_cast<void>(done);
}

std::string unix_target(const std::string& path) {
  std::string target = "unix:";
  for (const char letter : path) {
    char escaped[4];
    std::snprintf(escaped, sizeof escaped, "%%%02X", static_cast<unsigned char>(letter));
    target += plain_in_uri(letter) ? std::string(1, letter) : std::string(escaped);
  }
  return target;
}

std::string tcp_target(const TcpTarget& target) {
  const bool six = target.endpoint.address.find(':') != std::string::npos;
  return (six ? "ipv6:" : "ipv4:") + target.text();
}

void apply_tcp_server_settings(grpc::ServerBuilder& builder) {
  apply_server_settings(builder);
  const auto set = [&](const char* name, int value) { builder.AddChannelArgument(name, value); };
  apply_pings(set);
  set(GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS, 1000);
  apply_lean_links(set);
}

// A ping waits behind the rank output that ssh has buffered.
void apply_adopting_server_settings(grpc::ServerBuilder& builder) {
  constexpr int kPatienceMs = 10000;
  apply_server_settings(builder);
  apply_pings([&](const char* name, int value) { builder.AddChannelArgument(name, value); }, kPatienceMs);
  builder.AddChannelArgument(GRPC_ARG_MAX_CONCURRENT_STREAMS, 2);
  builder.SetMaxReceiveMessageSize(kMaxFarMessageBytes);
}

std::shared_ptr<grpc::ServerCredentials> server_credentials(const std::optional<TlsIdentity>& tls) {
  if (!tls) return grpc::InsecureServerCredentials();
  grpc::SslServerCredentialsOptions options(GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY);
  options.pem_root_certs = tls->authority;
  options.pem_key_cert_pairs.push_back({tls->key, tls->certificate});
  return grpc::SslServerCredentials(options);
}

void apply_server_settings(grpc::ServerBuilder& builder) {
  apply_common([&](const char* name, int value) { builder.AddChannelArgument(name, value); });
  builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
  builder.SetMaxReceiveMessageSize(kMaxMessageBytes);
  builder.SetMaxSendMessageSize(kMaxMessageBytes);
}

std::shared_ptr<grpc::Channel> local_channel(const std::string& socket_path) {
  quiet_grpc();
  const auto credentials = grpc::InsecureChannelCredentials();
  return grpc::CreateCustomChannel(unix_target(socket_path), credentials, client_arguments());
}

std::shared_ptr<grpc::Channel> channel_over(int connection) {
  quiet_grpc();
  return grpc::CreateCustomInsecureChannelFromFd("given", connection, client_arguments());
}

std::shared_ptr<grpc::Channel> tcp_channel(const TcpTarget& target) {
  quiet_grpc();
  grpc::ChannelArguments arguments = client_arguments();
  apply_pings([&](const char* name, int value) { arguments.SetInt(name, value); });
  if (target.tls) arguments.SetSslTargetNameOverride(kTlsName);
  return grpc::CreateCustomChannel(tcp_target(target), channel_credentials(target.tls), arguments);
}

std::string peer_address(const std::string& peer) {
  if (peer.starts_with("fd:")) return peer;
  const bool six = peer.starts_with("ipv6:");
  if (!six && !peer.starts_with("ipv4:")) return "";
  std::string address = peer.substr(5, peer.rfind(':') - 5);
  // gRPC writes brackets as in a URI.
  if (address.starts_with("%5B")) address = address.substr(3, address.rfind("%5D") - 3);
  if (address.starts_with("[")) address = address.substr(1, address.rfind(']') - 1);
  if (const size_t zone = address.find("%25"); zone != std::string::npos) address.replace(zone, 3, "%");
  constexpr std::string_view kMapped = "::ffff:";
  const bool mapped = address.starts_with(kMapped) && address.find('.') != std::string::npos;
  return mapped ? address.substr(kMapped.size()) : address;
}

grpc::Status grpc_status(const Status& status) {
  return grpc::Status(static_cast<grpc::StatusCode>(status.code()), status.message().substr(0, kMaxSentenceBytes));
}

Status status_from(const grpc::Status& status, bool own, const std::string& who) {
  const Code code = static_cast<Code>(status.error_code());
  if (own || code == Code::ok) return Status(code, status.error_message());
  // This side never cancels a call that waits for its status, so the server has ended during the call.
  if (code == Code::cancelled) return Status(Code::unavailable, who + " ended before it answered");
  if (code == Code::unavailable) return Status(code, who + " does not answer (" + status.error_message() + ")");
  if (code == Code::deadline_exceeded) return Status(code, who + " did not answer in time");
  return Status(code, status.error_message()).with_context(who);
}

}  // namespace muster
