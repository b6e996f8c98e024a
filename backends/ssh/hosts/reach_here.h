// SPDX-License-Identifier: Apache-2.0
// `muster reach`: tests on a host whether other hosts can be reached on data ports. It listens on a port of the range that ranks use
// (20000-27999) and connects to the ports of its peers. It sends no data over these connections.
//
// Lines on `in`: "at ADDRESS", then "peer ADDRESS PORT" for each peer, then "go". Lines on `out`: "port N", or "trouble REASON" if it
// cannot listen; then for each peer, in order, "ok" or the reason for the failure. It listens until `in` ends.
#pragma once

namespace muster {

// Returns the exit code.
int reach_here(int in, int out);

}  // namespace muster
