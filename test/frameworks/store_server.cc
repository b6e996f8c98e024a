// SPDX-License-Identifier: Apache-2.0
// muster_store_server [ADDRESS [PORT [THERE PORT]]]: serves a store, or a proxy of the store THERE, at a port for clients
// of this machine. Prints its port and runs until its stdin is closed.
#include <unistd.h>

#include <cstdlib>
#include <iostream>
#include <vector>

#include "core/node/torch_store/tcp_store_host.h"

int main(int count, char** words) {
  const std::vector<std::string> given(words + 1, words + count);
  const auto endpoint = [&](size_t at) {
    muster::Endpoint found{"127.0.0.1", 0};
    if (given.size() > at) found.address = given[at];
    if (given.size() > at + 1) found.port = static_cast<uint16_t>(std::atoi(given[at + 1].c_str()));
    return found;
  };
  muster::TcpStoreHost host;
  auto store = given.size() > 2 ? host.open_proxy(endpoint(0), endpoint(2)) : host.open(endpoint(0));
  if (!store.ok()) {
    std::cerr << store.status().message() << "\n";
    return 1;
  }
  (*store)->admit({"127.0.0.1", "::1"});
  std::cout << muster::TcpStoreHost::port(**store) << std::endl;
  char byte = 0;
  while (read(STDIN_FILENO, &byte, 1) > 0) continue;
  return 0;
}
