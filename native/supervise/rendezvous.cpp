#include "supervise/rendezvous.h"

#include <exception>

#include "base/error.h"
#include "base/sha256.h"

namespace ringlab {
namespace {

constexpr double kConnectSeconds = 1;
/// An answer takes a round trip; on a slow link it waits behind what the ranks send.
constexpr double kPatience = 10;

}  // namespace

bool SupervisorRendezvous::open(std::string& why) {
  if (is_open()) return true;
  try {
    if (settings_.leads) {
      ServerSettings server;
      server.endpoint = settings_.endpoint;
      server.secret = settings_.secret;
      server.peers = settings_.peers;
      server_ = std::make_unique<StoreServer>(std::move(server));
      client_ = StoreClient::over(server_->connect_here(), settings_.secret);
    } else {
      // Not given up at a stop signal: it takes a second, and the others have to know.
      client_ = StoreClient::meet(settings_.endpoint, settings_.from, settings_.secret, kConnectSeconds, [] { return false; });
    }
    client_->set_patience(kPatience);
    return true;
  } catch (const std::exception& error) {
    why = error.what();
  }
  close();
  return false;
}

void SupervisorRendezvous::close() {
  client_.reset();
  server_.reset();
}

std::string derived_secret(const RunSecret& run, const std::string& purpose) { return hexadecimal(hmac_sha256(run.bytes, {purpose})); }

}  // namespace ringlab
