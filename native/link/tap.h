// A TAP device in a network namespace: what the kernel sends through it is read here, what is written here the kernel receives.
#pragma once

#include <string>

namespace ringlab {

/// An open file descriptor, closed with its owner.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor();
  Descriptor(Descriptor&& other) noexcept : number_(other.number_) { other.number_ = -1; }
  Descriptor& operator=(Descriptor&& other) noexcept;

  int number() const { return number_; }
  explicit operator bool() const { return number_ >= 0; }

 private:
  int number_ = -1;
};

/// Attaches to an existing device `name` in the namespace of that name below /run/netns: non-blocking, frames without a header. Needs root, and
/// leaves this thread in the namespace in which it was. Throws Failure (usage) where there is no such namespace or device, or another program
/// has it.
Descriptor open_tap(const std::string& space, const std::string& name);

/// False once the device was deleted.
bool is_attached(const Descriptor& tap);

}  // namespace ringlab
