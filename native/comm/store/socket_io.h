// Complete messages over a socket, each with a deadline.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "comm/store/key_store.h"
#include "comm/transport/net.h"

namespace ringlab {

/// Both throw StoreError: at the deadline, if the connection breaks or is closed, and within half a second after `give_up`, if there is one, returns true.
void send_all(const Socket& socket, std::string_view bytes, double deadline, const std::function<bool()>& give_up = {});
std::string receive(const Socket& socket, size_t size, double deadline, const std::function<bool()>& give_up = {});

}  // namespace ringlab
