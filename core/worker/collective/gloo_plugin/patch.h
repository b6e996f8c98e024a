// A mend for libgloo, made in memory when the plugin is loaded.
//
// Gloo's thread asks for the name of a peer that has just connected and throws where the peer has died since, which
// ends the whole program: nobody can catch in that thread. So libgloo's own reference to getpeername() is turned to one
// that answers for a peer that is gone; the next read finds out.
#pragma once

namespace muster::worker {

// False: libgloo has no such reference, and is left as it is. Once, before any thread of Gloo.
bool mend_gloo();

}  // namespace muster::worker
