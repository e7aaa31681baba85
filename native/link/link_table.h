// The table of emulated links that `ringlab-train link` reads: which devices of which namespaces are joined, with which delay.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "link/delay_line.h"

namespace ringlab {

/// A TAP device of the same name in both namespaces.
struct LinkRow {
  std::string device;
  std::string namespaces[2];  ///< names below /run/netns
  LinkDelay delay;

  bool joins_as(const LinkRow& other) const { return device == other.device && namespaces[0] == other.namespaces[0] && namespaces[1] == other.namespaces[1]; }
};

/// A row a line: `DEVICE NAMESPACE NAMESPACE DELAY JITTER LOSS`, delay and jitter in microseconds (at most a minute each), loss in percent. At most
/// 20,000 rows. Throws Failure (usage) with the line's number for anything else.
std::vector<LinkRow> read_link_table(std::string_view text);

}  // namespace ringlab
