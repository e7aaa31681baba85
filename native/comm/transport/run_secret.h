// The secret that the ranks of one run share.
#pragma once

#include <string>

namespace ringlab {

/// Bytes with which a rank proves that it belongs to the run. Empty: an open run, in which no rank has a secret.
struct RunSecret {
  std::string bytes;
  bool open() const { return bytes.empty(); }
};

/// The first line of a file that only its owner can read, or of standard input ("-"): 16 to 1024 characters. Throws
/// Failure (usage) with the problem, never with the content.
RunSecret read_secret(const std::string& path);

/// A new secret of 32 random bytes in an anonymous file in memory that child processes inherit. Returns a path that they can
/// open.
std::string inheritable_secret();

}  // namespace ringlab
