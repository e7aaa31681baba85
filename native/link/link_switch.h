// Moves frames between the TAP devices of emulated links, each after its delay: the loop of one process for all links of a network.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "link/delay_line.h"
#include "link/link_table.h"
#include "link/tap.h"

namespace ringlab {

/// For one thread, as root.
class LinkSwitch {
 public:
  LinkSwitch();

  /// Joins the devices of this table, and only those. Links that are there already keep what is under way and get the new delay. Throws
  /// Failure, and then all is as before.
  void join(const std::vector<LinkRow>& table);
  size_t links() const { return links_.size(); }

  /// Moves frames until `wake` (a descriptor) is readable or no link is left: their devices were deleted.
  void run(int wake);

 private:
  struct Link;
  /// One end, as epoll knows it.
  struct End {
    Link* link;
    int side;
  };
  struct Link {
    Link(LinkRow wanted, Descriptor first, Descriptor second, uint64_t seed);

    LinkRow row;
    std::array<Descriptor, 2> taps;
    std::array<DelayLine, 2> lines;  ///< by the side that sent
    std::array<End, 2> ends;
    bool gone = false;
  };

  void read(End& end);
  void deliver();
  void remove_gone();
  void set_timer();

  Descriptor poll_;
  Descriptor timer_;
  std::vector<std::unique_ptr<Link>> links_;
  std::vector<char> buffer_;
};

}  // namespace ringlab
