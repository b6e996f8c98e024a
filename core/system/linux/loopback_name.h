// What this machine's own files call its loopback (hosts(5)), for programs that ask for the name of every address that
// they connect to. Any thread.
//
// A client of both families reaches 127.0.0.1 as ::ffff:127.0.0.1, which glibc does not find in that file: it asks a
// name server, and waits 10 s where none answers. ::1 it finds, where it stands.
#pragma once

#include <istream>
#include <string>

namespace muster {

// Whether `hosts` gives the name localhost to ::1.
bool names_ipv6_loopback(std::istream& hosts);

// `localhost`, or 127.0.0.1 where that would ask a name server or this machine has no ::1.
std::string loopback_name();

}  // namespace muster
