// SPDX-License-Identifier: Apache-2.0
// The name that this machine's hosts file (hosts(5)) gives to its loopback address, for programs that look up the name of every
// address that they connect to. Any thread.
//
// A dual-stack client reaches 127.0.0.1 as ::ffff:127.0.0.1. glibc does not find this address in the hosts file, asks a
// name server, and waits 10 s if none answers. glibc finds ::1 if the file has it.
#pragma once

#include <istream>
#include <string>

namespace muster {

// True if `hosts` gives the name localhost to ::1.
bool names_ipv6_loopback(std::istream& hosts);

// `localhost`; 127.0.0.1 if `localhost` would need a name server or this machine has no ::1.
std::string loopback_name();

}  // namespace muster
