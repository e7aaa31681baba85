// For tests: a store of a run with a secret, and connections to it.
#pragma once

#include <memory>
#include <utility>

#include "comm/store/store_client.h"
#include "comm/store/store_server.h"

namespace ringlab {

inline const RunSecret kSecret{"0123456789abcdef0123456789abcdef"};

struct Store {
  Store() {
    ServerSettings settings;
    settings.endpoint = {"127.0.0.1", free_local_port()};
    settings.secret = kSecret;
    server = std::make_unique<StoreServer>(std::move(settings));
  }
  std::unique_ptr<StoreClient> connect() { return StoreClient::over(server->connect_here(), kSecret); }
  std::unique_ptr<StoreServer> server;
};

}  // namespace ringlab
