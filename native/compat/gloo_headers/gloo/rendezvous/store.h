// Replaces libgloo-dev's header if that package is missing: c10d/ProcessGroupGloo.hpp includes it, and Debian's
// libtorch-dev does not depend on it. Only the names and the vtable's order matter: we never instantiate anything of it;
// Gloo itself is in libgloo.so, which libtorch links.
#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace gloo {
namespace rendezvous {

class Store {
 public:
  static constexpr std::chrono::milliseconds kDefaultTimeout = std::chrono::seconds(30);
  virtual ~Store();
  virtual void set(const std::string& key, const std::vector<char>& data) = 0;
  virtual std::vector<char> get(const std::string& key) = 0;
  virtual void wait(const std::vector<std::string>& keys) = 0;
  virtual void wait(const std::vector<std::string>& keys, const std::chrono::milliseconds& timeout);
};

}  // namespace rendezvous
}  // namespace gloo
