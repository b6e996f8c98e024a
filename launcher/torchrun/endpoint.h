// The forms of --rdzv-endpoint and --rdzv-conf, as torch reads them. Pure: nothing is looked up.
#pragma once

#include <string>

#include "core/base/result.h"

namespace muster {

// "", HOST, HOST:PORT, [V6], [V6]:PORT; else invalid_argument with what is wrong about it.
Status check_endpoint(const std::string& text);

// "" or key=value pairs parted by commas, each with a value.
Status check_rendezvous_conf(const std::string& text);

}  // namespace muster
