// Several ranks in one process, to test collectives.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "comm/collectives/communicator.h"

namespace ringlab {

/// Runs `rank_main` for each rank of a separate world, every rank on a thread; returns the message of each one's
/// Failure. `change` gets the settings of each.
inline std::vector<std::string> as_ranks(int world_size, const std::function<void(Communicator&)>& rank_main,
                                         const std::function<void(CommSettings&)>& change = [](CommSettings&) {}) {
  std::vector<std::string> complaints(static_cast<size_t>(world_size));
  const Endpoint master{"127.0.0.1", free_local_port()};
  std::vector<std::thread> threads;
  for (int rank = 0; rank < world_size; ++rank) {
    threads.emplace_back([&, rank] {
      CommSettings settings;
      settings.rank = rank;
      settings.world_size = world_size;
      settings.master = master;
      settings.rendezvous_timeout = 60;
      settings.peer_timeout = 60;
      settings.on_peer_lost = [](const Failure& failure) { ADD_FAILURE() << failure.what(); };
      change(settings);
      Communicator communicator(std::move(settings));
      try {
        rank_main(communicator);
      } catch (const Failure& failure) {
        complaints[static_cast<size_t>(rank)] = failure.what();
      }
      communicator.finish();
    });
  }
  for (auto& thread : threads) thread.join();
  return complaints;
}

}  // namespace ringlab
