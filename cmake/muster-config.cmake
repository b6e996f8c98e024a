# SPDX-License-Identifier: Apache-2.0
# find_package(muster): the target muster::worker, for programs that are ranks of a job (docs/guide/libmuster.md).
include("${CMAKE_CURRENT_LIST_DIR}/muster-targets.cmake")
