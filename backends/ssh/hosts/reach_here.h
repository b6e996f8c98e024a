// Whether other hosts can be reached for data: what `muster reach` does on a host. It listens at a port of those that ranks get and
// tries the ports of its peers; nothing is sent over them.
//
// Lines on `in`: "at ADDRESS", then "peer ADDRESS PORT" of each to try, then "go". Lines on `out`: "port N", then for each peer in
// their order "ok" or why not. It listens until `in` ends.
#pragma once

namespace muster {

// The exit code.
int reach_here(int in, int out);

}  // namespace muster
