#include "comm/collectives/groups.h"

#include <torch/csrc/distributed/c10d/PrefixStore.hpp>

#include <atomic>
#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "comm/collectives/state.h"
#include "comm/store/named_store.h"
#include "comm/store/run_store.h"
#include "compat/c10d_version.h"

namespace ringlab {
namespace {

constexpr std::chrono::minutes kExchangeTimeout{30};

std::shared_ptr<::gloo::transport::Device> make_device(const CommState& state) {
  using Group = c10d::ProcessGroupGloo;
  if (!state.settings.interface.empty()) return Group::createDeviceForInterface(state.settings.interface);
  return Group::createDeviceForHostname(state.settings.address.empty() ? state.own_address : state.settings.address);
}

/// A store whose questions end where nobody waits for the groups any more.
class StoreInUse : public NamedStore {
 public:
  StoreInUse(std::shared_ptr<KeyStore> store, std::shared_ptr<const std::atomic<bool>> given_up) : NamedStore(std::move(store), ""), given_up_(std::move(given_up)) {}
  bool wait(const std::vector<std::string>& keys, std::chrono::milliseconds timeout) override {
    if (*given_up_) throw StoreError("a rank was lost");
    return NamedStore::wait(keys, timeout);
  }

 private:
  const std::shared_ptr<const std::atomic<bool>> given_up_;
};

/// What makes the groups. It refers to nothing of the communicator's, which it may outlive.
std::function<Groups()> maker(const CommState& state, std::shared_ptr<KeyStore> keys) {
  const auto device = make_device(state);
  const auto options_for = [device](int threads) {
    auto options = c10d::ProcessGroupGloo::Options::create();
    options->devices.push_back(device);
    options->threads = threads;
    options->timeout = kExchangeTimeout;
    return options;
  };
  return [store = c10::make_intrusive<RunStore>(std::move(keys)), options = options_for(2), for_control = options_for(1), rank = state.settings.rank,
          world_size = state.settings.world_size, control = state.settings.control_group, nccl = state.settings.nccl] {
    Groups groups;
    // Also without `goes_on`: the guard's exception type distinguishes a failed collective from an error of this rank alone.
    groups.guard = std::make_shared<ExchangeGuard>();
    const auto gloo = [&](const std::string& name, const auto& with) {
      return compat::group_of(guarded_gloo(c10::make_intrusive<c10d::PrefixStore>(name, store), rank, world_size, with, groups.guard));
    };
    groups.gloo = gloo("gloo", options);
    if (control) groups.control = gloo("control", for_control);
    if (nccl) groups.nccl = compat::nccl_group(c10::make_intrusive<c10d::PrefixStore>("nccl", store), rank, world_size, options->timeout);
    return groups;
  };
}

}  // namespace

Groups connect_groups(const CommState& state) { return maker(state, state.store)(); }

Groups connect_groups_that_are_left(const CommState& state, const Connections::Known& before) {
  const auto given_up = std::make_shared<std::atomic<bool>>(false);
  std::packaged_task<Groups()> connecting(maker(state, std::make_shared<StoreInUse>(state.store, given_up)));
  auto groups = connecting.get_future();
  std::thread(std::move(connecting)).detach();
  while (groups.wait_for(std::chrono::milliseconds(5)) == std::future_status::timeout) {
    if (!state.lost) continue;
    *given_up = true;
    Connections(before, [&state](const Socket& socket) { return state.keys->carries(socket); }).shut_down();
    throw ExchangeFailure("a rank was lost while the others connected");
  }
  try {
    return groups.get();
  } catch (const std::exception& error) {
    throw ExchangeFailure(error.what());
  }
}

}  // namespace ringlab
