// Stands in for libgloo-dev's header where that package is missing: c10d/ProcessGroupGloo.hpp includes it, and Debian's
// libtorch-dev does not depend on it. Only names and the vtable's order matter: nothing here is ever instantiated by us,
// Gloo itself is inside libgloo.so, which libtorch links.
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
