#include "data/loading/deal.h"

#include <algorithm>
#include <unordered_set>

namespace ringlab {

std::vector<int64_t> places_of(const Deal& deal, int64_t images) {
  std::vector<int64_t> places = deal.again;
  for (int64_t place = deal.taken; place < images; ++place) places.push_back(place);
  return places;
}

int64_t dealt_to_each(const Deal& deal, int64_t images, int64_t ranks) {
  const int64_t count = static_cast<int64_t>(deal.again.size()) + std::max<int64_t>(0, images - deal.taken);
  const int64_t each = (count + ranks - 1) / ranks;
  return count == 0 ? 0 : std::max(each, std::min((deal.evened + 1) / 2, (images + ranks - 1) / ranks));
}

std::vector<int64_t> dealt_images(const Deal& deal, const std::vector<int64_t>& order, int64_t place, int64_t ranks) {
  const auto images = static_cast<int64_t>(order.size());
  auto places = places_of(deal, images);
  const int64_t each = dealt_to_each(deal, images, ranks);
  if (deal.evened > 0) {
    // Other images, before some come twice: batch norm over copies of a few is no better than over those.
    const std::unordered_set<int64_t> again(deal.again.begin(), deal.again.end());
    for (int64_t had = 0; had < deal.taken && static_cast<int64_t>(places.size()) < each * ranks; ++had) {
      if (again.count(had) == 0) places.push_back(had);
    }
  }
  std::vector<int64_t> indices;
  indices.reserve(static_cast<size_t>(each));
  for (int64_t i = place; i < each * ranks; i += ranks) indices.push_back(order[static_cast<size_t>(places[static_cast<size_t>(i) % places.size()])]);
  return indices;
}

Deal next_deal(const Deal& deal, int64_t images, const std::vector<int64_t>& counted, int64_t batches, const std::vector<int>& left, const Sent& sent) {
  const auto places = places_of(deal, images);
  const auto ranks = static_cast<int64_t>(counted.size());
  const auto count = static_cast<int64_t>(places.size());
  const int64_t max_counted = counted.empty() ? 0 : *std::max_element(counted.begin(), counted.end());
  const int64_t end = std::min(max_counted * ranks, count);
  const auto before = static_cast<int64_t>(deal.again.size());
  Deal next;
  next.batches = batches;
  for (int64_t i = 0; i < end; ++i) {
    // The i-th place went to rank i % ranks, as its (i / ranks)-th.
    if (i / ranks >= counted[static_cast<size_t>(i % ranks)]) next.again.push_back(places[static_cast<size_t>(i)]);
  }
  for (int64_t i = end; i < before; ++i) next.again.push_back(places[static_cast<size_t>(i)]);
  next.taken = deal.taken + std::max<int64_t>(0, end - before);
  const auto earlier = [&](int64_t rank) {
    const auto at = static_cast<size_t>(rank);
    return sent.earlier || at >= deal.unsent.size() ? std::vector<int64_t>{} : deal.unsent[at];
  };
  for (int64_t rank = 0; rank < ranks && !left.empty(); ++rank) {
    const auto own = earlier(rank);
    if (std::find(left.begin(), left.end(), rank) == left.end()) next.again.insert(next.again.end(), own.begin(), own.end());
  }
  for (const int rank : left) {
    auto& own = next.unsent.emplace_back(earlier(rank));
    for (int64_t k = sent.images; k < counted[static_cast<size_t>(rank)]; ++k) {
      if (k * ranks + rank < count) own.push_back(places[static_cast<size_t>(k * ranks + rank)]);
    }
  }
  return next;
}

int64_t images_in_model(const Deal& deal, int64_t images, int64_t ranks, int64_t each) {
  const auto again = static_cast<int64_t>(deal.again.size());
  const int64_t left = again + std::max<int64_t>(0, images - deal.taken);
  return std::min(deal.taken, images) - again + std::min(each * ranks, left);
}

}  // namespace ringlab
