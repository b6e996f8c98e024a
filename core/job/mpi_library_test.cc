// SPDX-License-Identifier: Apache-2.0
#include "core/job/mpi_library.h"

#include <gtest/gtest.h>

namespace muster {
namespace {

TEST(MpiLibrary, Names_OfOpenMpiAndMpich_AreTold) {
  for (const char* name : {"libmpi.so.40", "libmpi_cxx.so.40", "libmpi_mpifh.so.40", "libmpi_usempif08.so.40"}) {
    EXPECT_TRUE(is_mpi_library(name)) << name;
    EXPECT_FALSE(is_mpich_library(name)) << name;
  }
  for (const char* name :
       {"libmpi.so.12", "libmpich.so.12", "libmpichfort.so.12", "libmpifort.so.12", "libmpicxx.so.12"}) {
    EXPECT_TRUE(is_mpi_library(name)) << name;
    EXPECT_TRUE(is_mpich_library(name)) << name;
  }
  for (const char* name : {"libmpiric.so", "libmpifr.so", "libc.so.6", "libpmix.so.2", ""})
    EXPECT_FALSE(is_mpi_library(name)) << name;
}

}  // namespace
}  // namespace muster
