// Complete messages over a socket, each with a deadline.
#pragma once

#include <string>
#include <string_view>

#include "comm/store/key_store.h"
#include "comm/transport/net.h"

namespace ringlab {

/// Both throw StoreError: at the deadline, and if the connection breaks or is closed.
void send_all(const Socket& socket, std::string_view bytes, double deadline);
std::string receive(const Socket& socket, size_t size, double deadline);

}  // namespace ringlab
