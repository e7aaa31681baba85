// `pack`: decodes an ImageFolder once, so that training reads pixels.
#pragma once

#include <string>
#include <vector>

namespace ringlab {

struct PackSettings {
  std::string dir;
  std::string out;  ///< folder; empty: <dir>/packed
  int edge = 256;   ///< images with a longer shorter edge are reduced to it, as by torchvision's Resize with PIL
  int workers = 0;  ///< decoding threads; 0: one per processor
};

/// Writes <out>/train.pack and <out>/val.pack; both are renamed when both are complete. Broken images are omitted and
/// reported on stderr. Returns false without writing, with a message on stdout, if `dir` already contains pixels (MNIST,
/// CIFAR, packs). Throws Failure: bad_data (more than 1 % of a split broken, and as open_data), disk_full, internal;
/// Stopped.
bool pack(const PackSettings& settings);

/// `ringlab-train pack …`. Returns the exit code; throws Failure.
int pack_command(const std::vector<std::string>& arguments);

}  // namespace ringlab
