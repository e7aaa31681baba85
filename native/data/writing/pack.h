// `pack`: an ImageFolder decoded once, so that training reads pixels.
#pragma once

#include <string>
#include <vector>

namespace ringlab {

struct PackSettings {
  std::string dir;
  std::string out;  ///< folder; empty: <dir>/packed
  int edge = 256;   ///< pictures whose shorter edge is longer are reduced to it, as torchvision's Resize does with PIL
  int workers = 0;  ///< threads that decode; 0: as many as the machine has
};

/// Writes <out>/train.pack and <out>/val.pack; both appear when both are whole. Broken pictures are left out and reported on
/// stderr. Returns false, with nothing written and a word on stdout, where `dir` holds pixels already (MNIST, CIFAR, packs).
/// Throws Failure: bad_data (more than 1 % of a split broken, and what open_data throws), disk_full, internal; Stopped.
bool pack(const PackSettings& settings);

/// `ringlab-train pack …`. Returns the exit code; throws Failure.
int pack_command(const std::vector<std::string>& arguments);

}  // namespace ringlab
