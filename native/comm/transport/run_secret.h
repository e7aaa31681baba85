// The secret that the ranks of one run share.
#pragma once

#include <string>

namespace ringlab {

/// Bytes with which a rank proves that it belongs to the run. Empty: an open run, whose ranks all start without one.
struct RunSecret {
  std::string bytes;
  bool open() const { return bytes.empty(); }
};

/// The first line of a file that its owner alone may read, or of standard input ("-"): 16 to 1024 characters.
/// Throws Failure (usage) and names what is wrong, never what is in the file.
RunSecret read_secret(const std::string& path);

/// A new secret of 32 random bytes in a nameless file in memory that child processes inherit. Returns a path that they can open.
std::string inheritable_secret();

}  // namespace ringlab
