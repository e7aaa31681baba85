#include "comm/run_keys.h"

#include "comm/sha256.h"
#include "comm/store_client.h"
#include "src/stop_signal.h"

namespace ringlab {
namespace {

/// Every key begins with the run's name.
class NamedStore : public KeyStore {
 public:
  NamedStore(std::unique_ptr<KeyStore> store, std::string prefix) : store_(std::move(store)), prefix_(std::move(prefix)) {}
  void set(const std::string& key, const std::string& value) override { store_->set(prefix_ + key, value); }
  std::optional<std::string> get(const std::string& key) override { return store_->get(prefix_ + key); }
  int64_t add(const std::string& key, int64_t amount) override { return store_->add(prefix_ + key, amount); }
  std::string compare_set(const std::string& key, const std::string& expected, const std::string& desired) override {
    return store_->compare_set(prefix_ + key, expected, desired);
  }
  bool check(const std::vector<std::string>& keys) override { return store_->check(named(keys)); }
  bool wait(const std::vector<std::string>& keys, std::chrono::milliseconds timeout) override { return store_->wait(named(keys), timeout); }
  bool remove_key(const std::string& key) override { return store_->remove_key(prefix_ + key); }
  int64_t count() override { return store_->count(); }

 private:
  std::vector<std::string> named(std::vector<std::string> keys) const {
    for (auto& key : keys) key.insert(0, prefix_);
    return keys;
  }
  std::unique_ptr<KeyStore> store_;
  std::string prefix_;
};

std::string prefix_of(const RunSecret& secret) {
  if (secret.open()) return "open/";
  const Digest name = hmac_sha256(secret.bytes, {"name of the run"});
  std::string text;
  for (size_t i = 0; i < 8; ++i) {
    text += "0123456789abcdef"[name[i] >> 4];
    text += "0123456789abcdef"[name[i] & 15];
  }
  return text + "/";
}

}  // namespace

RunKeys::RunKeys(MeetingPlace place, double seconds) : place_(std::move(place)) {
  std::unique_ptr<StoreClient> client;
  if (place_.rank == 0) {
    ServerSettings settings;
    settings.endpoint = place_.master;
    settings.secret = place_.secret;
    settings.peers = place_.peers;
    server_ = std::make_unique<StoreServer>(std::move(settings));
    client = StoreClient::over(server_->connect_here(), place_.secret);
    own_address_ = place_.master.host;
  } else {
    client = StoreClient::meet(place_.master, place_.from, place_.secret, seconds, stop_requested);
    own_address_ = client->address();
  }
  store_ = std::make_shared<NamedStore>(std::move(client), prefix_of(place_.secret));
}

std::unique_ptr<KeyStore> RunKeys::another(double seconds) const {
  auto client = server_ ? StoreClient::over(server_->connect_here(), place_.secret) : StoreClient::meet(place_.master, place_.from, place_.secret, seconds, stop_requested);
  client->set_patience(10);
  return std::make_unique<NamedStore>(std::move(client), prefix_of(place_.secret));
}

void RunKeys::close_port() {
  if (server_) server_->close_port();
}

std::string RunKeys::refusals() const {
  if (!server_) return "";
  const Refusals refusals = server_->refusals();
  if (refusals.count == 0) return "";
  const std::string many = refusals.count == 1 ? "1 connection was" : std::to_string(refusals.count) + " connections were";
  return "; " + many + " refused, the last from " + refusals.last;
}

}  // namespace ringlab
