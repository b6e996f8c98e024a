// What a TLS connection of gRPC keeps while it says nothing: a coordinator in a cluster has one to each pod, some thousand. Any thread.
#pragma once

namespace muster {

// The argument "grpc.tsi.max_frame_size" of both ends. Each connection keeps a buffer of this size for what it is about to encrypt.
int tls_frame_bytes();

// From here on connections of this process take what comes in small pieces, TLS or not: for who has many, each with little to say.
void expect_many_connections();

}  // namespace muster
