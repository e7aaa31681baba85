#include "train/shares.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include "base/checked.h"
#include "base/error.h"

namespace ringlab {
namespace {

/// Equal for ranks that read the same folder, and only for those: machines cloned from one image have the same host name and
/// inode numbers.
std::string folder_identity(const std::string& path) {
  std::string boot;
  std::getline(std::ifstream("/proc/sys/kernel/random/boot_id"), boot);
  struct stat found {};
  if (stat(path.c_str(), &found) != 0) throw std::move(Failure(ErrorCode::bad_data, path + ": " + std::strerror(errno)).at_path(path));
  return (boot.empty() ? host_name() : boot) + " " + std::to_string(found.st_dev) + " " + std::to_string(found.st_ino);
}

int64_t dealt_to_rank(const Share& share, const Deal& deal) { return deal.is_first() ? share.per_rank : dealt_to_each(deal, share.images, share.sharers); }

}  // namespace

Share agree_on_share(const RunContext& run) {
  const int64_t own = run.data.train().size();
  if (!run.options.sharded_data || run.communicator == nullptr) return share_of_all(own, run.launch.rank, run.launch.world_size);
  std::vector<FolderPart> parts;
  for (const auto& text : run.communicator->gather_texts(std::to_string(own) + " " + folder_identity(run.options.dir))) {
    const size_t space = text.find(' ');
    parts.push_back({text.substr(space + 1), std::stoll(text)});
  }
  return share_of_part(parts, run.launch.rank);
}

Cut cut_of(const RunContext& run, const Share& share, const Deal& deal) {
  const auto [batch_size, accumulate] = run.step;
  const int64_t images = dealt_to_rank(share, deal);
  if (deal.evened > 0) return cut_evenly(images, batch_size, accumulate);
  return cut_for_training(images, batch_size, accumulate, run.replicas_of_two);
}

int64_t steps_of_epoch(const RunContext& run, const Share& share, const Deal& deal) { return deal.batches + cut_of(run, share, deal).steps(); }

void even_out(const RunContext& run, const RunState& state, Deal& deal) {
  const StepSize first{run.options.batch_size, run.options.accumulate};
  const int64_t images = dealt_to_rank(state.share, deal);
  // PyTorch's batches, of which the last may be omitted.
  if (deal.is_first() && images == state.first_per_rank && run.step.batch_size == first.batch_size && run.step.accumulate == first.accumulate) return;
  // Without a last batch of one image, which is omitted.
  const int64_t trained = cut_for_training(state.first_per_rank, first.batch_size, first.accumulate, run.replicas_of_two).images(state.first_per_rank);
  const auto is_small = [&](int64_t whole, int64_t first_whole) {
    const int64_t last = images % whole;
    const int64_t usual = trained % first_whole;
    return last > 0 && last < whole / 2 && (usual == 0 || last < usual);
  };
  // A batch of less than 4 cannot be halved.
  if (run.step.batch_size < 4) return;
  if (is_small(run.step.images(), first.images()) || is_small(run.step.batch_size, first.batch_size)) deal.evened = run.step.images();
}

int64_t steps_of_next_epoch(const RunContext& run, const RunState& state) {
  Deal deal;
  even_out(run, state, deal);
  return steps_of_epoch(run, state.share, deal);
}

bool resume_deal(const RunContext& run, RunState& state, const Position& from) {
  Deal& deal = state.training.position.deal;
  const int64_t images = state.share.images;
  const bool is_same = from.world_size == run.launch.world_size && from.global_batch == run.images_a_step();
  // Where ranks leave and rejoin, also an epoch that others began is dealt to the image; else a run of another size continues after about as many.
  const bool rejoins = run.options.on_lost_rank != OnLostRank::end && from.batch > 0 && !is_same;
  const bool fits = (!deal.is_first() || (deal.evened > 0 && is_same) || rejoins) && !run.options.sharded_data && from.world_size > 0 && deal.batches <= from.batch && deal.taken <= images &&
                    std::all_of(deal.again.begin(), deal.again.end(), [images](int64_t place) { return place < images; });
  if (!fits) {
    deal = {};
    return false;
  }
  if (!is_same) {
    const int64_t dealt = dealt_to_each(deal, images, from.world_size);
    const int64_t steps = from.batch - deal.batches;
    const int64_t had = deal.evened > 0 ? cut_evenly(dealt, deal.evened, 1).images(steps)
                                        : std::min(checked_scale(steps, from.global_batch, from.world_size).value_or(images), dealt);
    deal = next_deal(deal, images, std::vector<int64_t>(static_cast<size_t>(from.world_size), had), from.batch);
    even_out(run, state, deal);
  }
  state.steps_per_epoch = steps_of_epoch(run, state.share, deal);
  return true;
}

void warn_other_order(const RunContext& run, const RunState& state, const Position& from) {
  if (from.batch == 0 || run.options.evaluate) return;
  std::string other;
  if (from.images > 0 && from.images != state.share.images) other = "with " + std::to_string(from.images) + " training images; here are " + std::to_string(state.share.images);
  else if (from.seed != state.seed) other = "with --seed " + std::to_string(from.seed) + "; this one has " + std::to_string(state.seed);
  else return;
  run.metrics.warn("position_changed", "the checkpoint stands in the middle of epoch " + std::to_string(from.epoch) + " of a run " + other,
                   "continues after as many steps in another order: images of this epoch may be seen twice or not at all");
}

std::vector<int64_t> rank_images(const Share& share, const Deal& deal, uint64_t seed, int64_t epoch) {
  if (deal.is_first()) return training_indices(share, seed, epoch);
  return dealt_images(deal, torch_randperm(share.images, seed + static_cast<uint64_t>(epoch)), share.place, share.sharers);
}

}  // namespace ringlab
