// SPDX-License-Identifier: Apache-2.0
// The commit that this program was built from (cmake/commit.cmake).
#pragma once

namespace muster {

// "9f3c2a7d5e01"; "9f3c2a7d5e01+": with changes that are not committed; empty: the sources were in no git checkout.
extern const char* const kCommit;

}  // namespace muster
