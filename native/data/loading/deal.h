// How what is left of an epoch's images is dealt among the ranks that are there. PROTOCOL.md, 'Going on with fewer'.
#pragma once

#include <cstdint>
#include <vector>

namespace ringlab {

/// An epoch's order has a place for each image. Without lost ranks an epoch has one deal, which begins with its first step.
struct Deal {
  int64_t batches = 0;         ///< steps of the epoch before this deal
  int64_t taken = 0;           ///< places of the order that those steps took, from its start
  std::vector<int64_t> again;  ///< places among them that are dealt once more, before the rest
  /// Images of each rank in a step, if no step of this deal shall be smaller than half of them; 0: the last step has what remains.
  int64_t evened = 0;
  /// Of each rank, places that it had before this deal, if no exchange has brought to the others what it learned from them. In memory alone.
  std::vector<std::vector<int64_t>> unsent;

  bool is_first() const { return taken == 0 && again.empty(); }
  /// As of an epoch in which all ranks are there: DistributedSampler's images, in DataLoader's batches.
  bool is_plain() const { return is_first() && evened == 0; }
};

/// With local steps: what the ranks of a deal have sent to each other of what they learned.
struct Sent {
  int64_t images = 0;  ///< of each rank, of this deal
  bool earlier = false;  ///< and all that is `unsent`
};

/// The places that `deal` deals, in order, of an order of `images`.
std::vector<int64_t> places_of(const Deal& deal, int64_t images);

/// Images that `deal` gives each of `ranks`: as many to each, so that some are dealt twice where that does not divide them, and where half a step is more than there are.
int64_t dealt_to_each(const Deal& deal, int64_t images, int64_t ranks);

/// A rank's images in `deal`: every `ranks`-th of its places, from `place`. `order` is the epoch's permutation.
std::vector<int64_t> dealt_images(const Deal& deal, const std::vector<int64_t>& order, int64_t place, int64_t ranks);

/// The deal after `deal`, of which the ranks `left` are left. `counted`: for each rank of `deal` how many of its images are in the model, or in that of its own if it is
/// left. `batches`: steps of the epoch before the new deal.
Deal next_deal(const Deal& deal, int64_t images, const std::vector<int64_t>& counted, int64_t batches, const std::vector<int>& left = {}, const Sent& sent = {});

/// Images of the epoch that are in the model, each counted once, when each of `ranks` has had `each` of `deal`.
int64_t images_in_model(const Deal& deal, int64_t images, int64_t ranks, int64_t each);

}  // namespace ringlab
