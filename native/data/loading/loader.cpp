#include "data/loading/loader.h"

#include <algorithm>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "data/loading/start_threads.h"

namespace ringlab {

Failure too_many_broken(int64_t count, int64_t images, const std::string& which, const std::string& more) {
  return Failure(ErrorCode::bad_data, std::to_string(count) + " of " + std::to_string(images) + " " + which + " images are broken" + more,
                 "more than 1 % is taken as a damaged data set: copy it again, or remove the broken files");
}

std::unique_ptr<Batch> UsedBatches::take() {
  const std::lock_guard lock(mutex_);
  if (batches_.empty()) return std::make_unique<Batch>();
  auto batch = std::move(batches_.back());
  batches_.pop_back();
  return batch;
}

void UsedBatches::give_back(std::unique_ptr<Batch> batch) {
  const std::lock_guard lock(mutex_);
  batches_.push_back(std::move(batch));
}

Loader::Loader(const DataSet& set, std::vector<int64_t> indices, LoaderSettings settings, std::function<void(const Broken&)> on_broken)
    : set_(set), indices_(std::move(indices)), settings_(settings), on_broken_(std::move(on_broken)), own_transformer_(settings_.shape, settings_.draft) {
  batches_ = settings_.cut.batches();
  if (settings_.cut.begin(batches_) > static_cast<int64_t>(indices_.size())) throw std::invalid_argument("Loader: batches of more images than there are");
  next_ = claimed_ = std::min(settings_.first_batch, batches_);
  ahead_ = std::max<int64_t>(2, 2 * int64_t{settings_.workers});
  refused_ = start_threads(threads_, settings_.workers, [this] { work(); });
  if (refused_.empty()) return;
  // All ranks would wait for one that decodes beside its training: without any thread it fails, and the others may go on.
  if (threads_.empty()) throw std::system_error(std::make_error_code(std::errc::resource_unavailable_try_again));
  const std::lock_guard lock(mutex_);
  ahead_ = std::max<int64_t>(2, 2 * static_cast<int64_t>(threads_.size()));
}

Loader::~Loader() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
  }
  work_ready_.notify_all();
  for (auto& thread : threads_) thread.join();
}

bool Loader::load_one(Transformer& transformer, int64_t index, bool replaces, float* out, std::vector<Broken>& broken) const {
  try {
    const StoredImage image = set_.read(index);
    if (!set_.augments()) {
      transformer.whole(image, out);
    } else if (settings_.training) {
      Stream random({settings_.seed, static_cast<uint64_t>(settings_.epoch), static_cast<uint64_t>(index)});
      transformer.train(image, random, out);
    } else {
      transformer.validate(image, out);
    }
    return true;
  } catch (const BrokenImage& error) {
    broken.push_back({index, replaces, set_.name(index), error.what()});
    return false;
  }
}

void Loader::fill(Transformer& transformer, int64_t number, Slot& slot) const {
  const int64_t from = settings_.cut.begin(number);
  const int64_t to = settings_.cut.begin(number + 1);
  const size_t image_floats = settings_.shape.floats();
  BatchPointer batch(used_->take().release(), ReturnBatch{used_});
  batch->shape = settings_.shape;
  batch->count = 0;
  batch->labels.clear();
  batch->images.resize(static_cast<size_t>(to - from) * image_floats);
  batch->labels.reserve(static_cast<size_t>(to - from));
  for (int64_t i = from; i < to; ++i) {
    // Nobody takes this batch any more, and a stop waits for this thread: a batch of photographs takes seconds to decode.
    if (closing_) return;
    float* out = batch->images.data() + static_cast<size_t>(batch->count) * image_floats;
    int64_t index = indices_[static_cast<size_t>(i)];
    bool loaded = load_one(transformer, index, false, out, slot.broken);
    for (int attempt = 0; !loaded && settings_.training && attempt < 16 && !closing_; ++attempt) {
      index = (index + 1) % set_.size();
      loaded = load_one(transformer, index, true, out, slot.broken);
    }
    if (!loaded) continue;
    batch->labels.push_back(set_.label(index));
    ++batch->count;
  }
  batch->images.resize(static_cast<size_t>(batch->count) * image_floats);
  slot.batch = std::move(batch);
}

void Loader::work() {
  Transformer transformer(settings_.shape, settings_.draft);
  std::unique_lock lock(mutex_);
  while (true) {
    work_ready_.wait(lock, [this] { return closing_ || (claimed_ < batches_ && claimed_ < next_ + ahead_); });
    if (closing_) return;
    const int64_t number = claimed_++;
    const auto slot = std::make_shared<Slot>();
    window_.push_back(slot);
    lock.unlock();
    try {
      fill(transformer, number, *slot);
    } catch (...) {
      slot->error = std::current_exception();
    }
    lock.lock();
    slot->done = true;
    batch_ready_.notify_all();
  }
}

bool Loader::ready() {
  const std::lock_guard lock(mutex_);
  return !window_.empty() && window_.front()->done;
}

BatchPointer Loader::next() {
  if (next_ >= batches_) return {};
  std::shared_ptr<Slot> slot;
  if (threads_.empty()) {
    slot = std::make_shared<Slot>();
    fill(own_transformer_, next_++, *slot);
  } else {
    std::unique_lock lock(mutex_);
    batch_ready_.wait(lock, [this] { return !window_.empty() && window_.front()->done; });
    slot = window_.front();
    window_.pop_front();
    ++next_;
    work_ready_.notify_all();
  }
  if (slot->error) std::rethrow_exception(slot->error);
  for (const auto& broken : slot->broken) {
    // Those in a row are tried again for each one before them, and some belong to other ranks.
    const auto [known, is_new] = broken_.try_emplace(broken.index, false);
    if (is_new) on_broken_(broken);
    if (broken.replaces || known->second) continue;
    known->second = true;
    ++broken_count_;
    const int64_t share = settings_.share > 0 ? settings_.share : static_cast<int64_t>(indices_.size());
    if (broken_count_ * 100 > share) {
      throw std::move(too_many_broken(broken_count_, share, settings_.training ? "training" : "validation", ", the last " + broken.path + " (" + broken.reason + ")").at_path(broken.path));
    }
  }
  if (settings_.training && slot->batch->count == 0) throw Failure(ErrorCode::bad_data, "all images of a batch are broken", "check the files in " + set_.root());
  return std::move(slot->batch);
}

}  // namespace ringlab
