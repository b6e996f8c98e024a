// SPDX-License-Identifier: Apache-2.0
#include "core/job/peer_error.h"

#include <array>

namespace muster {
namespace {

struct Known {
  std::string_view library;
  std::string_view name;   // the text contains this name of the library …
  std::string_view error;  // … and this error
};

// Texts from gloo/transport/tcp/pair.cc, nccl/src/{debug,misc/socket}.cc and nccl.h, torch's TCPStore.cpp and
// ProcessGroupNCCL.cpp; Open MPI's MPI_ERR_PROC_FAILED, and MPI_ERR_UNKNOWN (14), with which Open MPI 5 ends a rank whose connection to
// a peer was closed; Horovod's SHUT_DOWN_ERROR (horovod/common/common.h), when a peer exits;
// jaxlib's, when a peer does not come to a collective or has ended.
constexpr std::array<Known, 24> kKnown = {{
    {"gloo", "gloo", "Connection closed by peer"},
    {"gloo", "gloo", "Connection reset by peer"},
    {"gloo", "gloo", "Socket closed"},
    {"gloo", "gloo", "Broken pipe"},
    {"gloo", "gloo", "imed out waiting"},
    {"gloo", "Gloo", "connectFullMesh failed"},
    {"NCCL", "NCCL", "ncclRemoteError"},
    {"NCCL", "NCCL", "remote process exited"},
    {"NCCL", "NCCL", "closed by remote peer"},
    {"NCCL", "NCCL", "socketProgress"},
    {"NCCL", "NCCL", "Connection reset by peer"},
    {"NCCL", "NCCL", "communicator was aborted"},
    {"NCCL", "NCCL", "Watchdog caught collective operation timeout"},
    {"NCCL", "nccl", "Connection closed by remote peer"},
    {"the store", "TCPStore", "Connection"},
    {"the store", "DistNetworkError", ""},
    {"the store", "Dist", "failed to recv, got 0 bytes"},
    {"the store", "Dist", "Connection was likely closed"},
    {"MPI", "MPI", "PROC_FAILED"},
    {"MPI", "MPI_Abort(14)", ""},
    {"MPI", "MPI_ERR_UNKNOWN", ""},
    {"Horovod", "Horovod has been shut down", ""},
    {"JAX", "JaxRuntimeError", "Gloo context initialization failed"},
    {"JAX", "JAX distributed service detected fatal errors", ""},
}};

}  // namespace

std::string_view peer_error(const ExitStatus& exit) { return peer_error(std::string_view(exit.detail)); }

std::string_view peer_error(std::string_view failure_message) {
  const auto says = [&](std::string_view words) { return failure_message.find(words) != std::string_view::npos; };
  for (const Known& known : kKnown) {
    if (says(known.name) && says(known.error)) return known.library;
  }
  return "";
}

}  // namespace muster
