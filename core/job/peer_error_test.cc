// SPDX-License-Identifier: Apache-2.0
#include "core/job/peer_error.h"

#include <gtest/gtest.h>

#include <string>

namespace muster {
namespace {

std::string_view who(const std::string& detail) {
  ExitStatus exit;
  exit.code = 1;
  exit.detail = detail;
  return peer_error(exit);
}

// Messages of torch 2.15 and 1.13, NCCL 2.32, Horovod 0.28, JAX 0.10 and Open MPI.
TEST(PeerError, WhoLostAPeer) {
  EXPECT_EQ(who("RuntimeError: [../third_party/gloo/gloo/transport/tcp/pair.cc:534] Connection closed by peer "
                "[127.0.0.1]:41234 at train.py:12"),
            "gloo");
  EXPECT_EQ(who("RuntimeError: [/pytorch/third_party/gloo/gloo/transport/tcp/unbound_buffer.cc:81] Timed out waiting "
                "1800000ms for recv operation to complete"),
            "gloo");
  EXPECT_EQ(
      who("torch.distributed.DistBackendError: NCCL error in: ../ProcessGroupNCCL.cpp:1275, remote process exited "
          "or there was a network error, NCCL version 2.32.3"),
      "NCCL");
  EXPECT_EQ(who("torch.distributed.DistBackendError: NCCL error in: ../NCCLUtils.hpp:219, unhandled system error, NCCL "
                "version 2.32.3: socketProgressOpt: Call to recv from 10.0.0.1<4> failed : Connection reset by peer"),
            "NCCL");
  EXPECT_EQ(who("torch.distributed.DistNetworkError: failed to recv, got 0 bytes. Connection was likely closed."),
            "the store");
  EXPECT_EQ(who("horovod.common.exceptions.HorovodInternalError: Horovod has been shut down. This was caused by an "
                "exception on one of the ranks or an attempt to allreduce after one of the ranks finished execution."),
            "Horovod");
  EXPECT_EQ(
      who("jax.errors.JaxRuntimeError: INTERNAL: Gloo context initialization failed: DEADLINE_EXCEEDED: Deadline"),
      "JAX");
  EXPECT_EQ(who("called MPI_Abort(14)"), "MPI");
  EXPECT_EQ(who("mpi4py.MPI.Exception: MPI_ERR_UNKNOWN: unknown error"), "MPI");
}

TEST(PeerError, ReasonsOfItsOwn) {
  EXPECT_EQ(who(""), "");
  EXPECT_EQ(who("RuntimeError: shapes do not match at train.py:41"), "");
  EXPECT_EQ(who("ConnectionResetError: [Errno 104] Connection reset by peer"), "");
  EXPECT_EQ(who("ValueError: gloo is not available"), "");
  EXPECT_EQ(who("NCCL error: invalid usage"), "");
  EXPECT_EQ(who("called MPI_Abort(1)"), "");
}

}  // namespace
}  // namespace muster
