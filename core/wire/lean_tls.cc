// Four functions that gRPC calls, led past here by the linker (ld, --wrap; CMakeLists.txt): it has no argument for what they change. Only
// where gRPC is linked into the program, as in the release: a shared library's own calls are none of this link's. A name that no longer
// fits is an error of the link.
#include "core/wire/lean_tls.h"

#include <grpc/event_engine/memory_allocator.h>
#include <openssl/bio.h>
#include <openssl/ssl.h>

#include <atomic>

#include "core/wire/lean_pipe.h"

namespace muster {
namespace {

// A report of an agent is smaller. What is larger takes as many frames as it needs, each with its own 22 bytes and turn of the cipher.
constexpr int kFrameBytes = 1024;
// gRPC's own piece, of which a connection keeps three: one that it reads into, one of text, and one of cipher.
constexpr size_t kPieceBytes = 8192;
constexpr size_t kSmallPieceBytes = 1024;

std::atomic<bool> many_connections = false;

}  // namespace

int tls_frame_bytes() { return kFrameBytes; }

void expect_many_connections() { many_connections = true; }

using grpc_event_engine::experimental::MemoryAllocator;
using grpc_event_engine::experimental::MemoryRequest;

SSL_CTX* real_ssl_ctx_new(const SSL_METHOD* method) asm("__real_SSL_CTX_new");
SSL_CTX* lean_ssl_ctx_new(const SSL_METHOD* method) asm("__wrap_SSL_CTX_new");
SSL* real_ssl_new(SSL_CTX* context) asm("__real_SSL_new");
SSL* lean_ssl_new(SSL_CTX* context) asm("__wrap_SSL_new");
int lean_bio_pair(BIO** network, size_t in_bytes, BIO** inner, size_t out_bytes) asm("__wrap_BIO_new_bio_pair");
#define MAKE_SLICE "_ZN17grpc_event_engine12experimental15MemoryAllocator9MakeSliceENS0_13MemoryRequestE"
grpc_slice real_slice(MemoryAllocator* allocator, MemoryRequest request) asm("__real_" MAKE_SLICE);
grpc_slice lean_slice(MemoryAllocator* allocator, MemoryRequest request) asm("__wrap_" MAKE_SLICE);

// Two buffers of 16 KiB, for a record each way, are let go of between records. Who is spoken to has the authority already: certificates go
// without it, or the other end would keep a copy for each connection. Nobody here takes up an earlier session: no tickets for that.
SSL_CTX* lean_ssl_ctx_new(const SSL_METHOD* method) {
  SSL_CTX* const context = real_ssl_ctx_new(method);
  if (context == nullptr) return nullptr;
  SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS | SSL_MODE_NO_AUTO_CHAIN);
  SSL_CTX_set_num_tickets(context, 0);
  return context;
}

// gRPC wants P-256, whose keys take 4 KiB for as long as the connection lives.
SSL* lean_ssl_new(SSL_CTX* context) {
  SSL* const connection = real_ssl_new(context);
  if (connection != nullptr) SSL_set1_groups_list(connection, "X25519:P-256");
  return connection;
}

// gRPC leaves the sizes to OpenSSL, which makes room for 17 KiB each way; this pipe has as much, when it is needed.
int lean_bio_pair(BIO** network, size_t, BIO** inner, size_t) { return new_lean_pipe(network, inner) ? 1 : 0; }

// Who asks for that size goes by the size that it gets.
grpc_slice lean_slice(MemoryAllocator* allocator, MemoryRequest request) {
  const bool piece = request.min() == kPieceBytes && request.max() == kPieceBytes;
  return real_slice(allocator, piece && many_connections ? MemoryRequest(kSmallPieceBytes) : request);
}

}  // namespace muster
