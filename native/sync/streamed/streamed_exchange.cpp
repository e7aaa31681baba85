// What a streamed average sends and receives, and what that does to the anchor and the rank's own weights.
#include <ATen/Functions.h>
#include <ATen/Parallel.h>

#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "sync/streamed/streamed_average.h"

namespace ringlab {
namespace {

uint8_t* row_of(const at::Tensor& rows, int64_t row) { return rows.data_ptr<uint8_t>() + row * rows.size(-1); }

}  // namespace

/// Calls `work` for each chunk and its number, on all threads.
template <typename Work>
void StreamedAverage::each_chunk(Work&& work) {
  const auto all = chunks();
  at::parallel_for(0, communicator_.world_size(), 1, [&](int64_t begin, int64_t end) {
    for (int64_t number = begin; number < end; ++number) work(number, all[static_cast<size_t>(number)]);
  });
}

/// The changes of all chunks, into the rows of a new message.
at::Tensor StreamedAverage::encode_changes() {
  const at::Tensor rows = at::empty({communicator_.world_size(), row_bytes_}, at::kByte);
  each_chunk([&](int64_t to, const Chunk& chunk) {
    std::vector<Difference> changes;
    for (size_t k = 0; k < chunk.lengths.size(); ++k) changes.push_back({chunk.anchor[k], chunk.local[k], chunk.lengths[k]});
    encoders_[static_cast<size_t>(to)].encode(changes, row_of(rows, to));
  });
  return rows;
}

void StreamedAverage::send(at::Tensor rows) {
  sent_ = std::move(rows);
  vectors_.encode(sent_, message_bytes_);
  sign(sent_);
  flying_ = true;
  sent_step_ = step_;
  age_ = 0;
  sent_at_ = steady_seconds();
  take_behind();
  arrived_ = start([this] { exchange(); });
}

/// What this rank saw of the exchange before, and what it sends now.
void StreamedAverage::sign(const at::Tensor& rows) const {
  double energy = 0;
  double sent = 0;
  for (size_t k = 0; k + 1 < encoders_.size(); ++k) {
    energy += encoders_[k].energy();
    sent += encoders_[k].sent_energy();
  }
  for (int64_t row = 0; row < rows.size(0); ++row) watch_.sign(row_of(rows, row), row_bytes_, energy, sent, matrices_.size());
}

/// In the communicator's thread. Touches what is sent and received, the residuals and the rule alone.
void StreamedAverage::exchange() {
  const int64_t world = communicator_.world_size();
  double began = steady_seconds();
  const at::Tensor received = communicator_.all_to_all(sent_);
  exchange_seconds_ = steady_seconds() - began;
  const auto& lengths = encoders_.back().lengths();
  std::vector<float*> residual;
  std::vector<Difference> sums;
  float* piece = residual_.data_ptr<float>();
  for (const int64_t length : lengths) {
    residual.push_back(piece);
    sums.push_back({piece, nullptr, length});
    piece += length;
  }
  const float each = 1.0F / static_cast<float>(world);
  for (int64_t from = 0; from < world; ++from) {
    StreamDecoder(row_of(received, from), message_bytes_, lengths, each).each([&](size_t k, int64_t at, float value) { residual[k][at] += value; });
  }
  const at::Tensor mean = at::zeros({1, row_bytes_}, at::kByte);
  encoders_.back().encode(sums, row_of(mean, 0));
  StreamDecoder(row_of(mean, 0), message_bytes_, lengths).each([&](size_t k, int64_t at, float value) { residual[k][at] -= value; });
  vectors_.sum(received, mean, message_bytes_);
  if (communicator_.rank() == 0) {
    std::vector<const uint8_t*> rows;
    for (int64_t from = 0; from < world; ++from) rows.push_back(row_of(received, from));
    watch_.judge(rows, row_bytes_);
    watch_.announce(row_of(mean, 0), row_bytes_);
  }
  began = steady_seconds();
  arrived_rows_ = at::cat(communicator_.all_gather(mean));
  exchange_seconds_ += steady_seconds() - began;
}

/// What this rank sent is its own again, once the means of all are to count. What it sent is in its encoders; of an exchange of the run before, the
/// message alone is there.
void StreamedAverage::add_own() {
  if (sent_at_ <= 0) {
    add_sent(1);
    return;
  }
  each_chunk([&](int64_t number, const Chunk& chunk) {
    const auto add = [&](size_t k, int64_t at, float value) { chunk.local[k][at] += value; };
    encoders_[static_cast<size_t>(number)].each_sent(add);
  });
}

/// `sign` 1 or -1: what the message under way holds, from the message itself, whatever the encoders made since.
void StreamedAverage::add_sent(float sign) {
  each_chunk([&](int64_t number, const Chunk& chunk) {
    StreamDecoder(row_of(sent_, number), message_bytes_, chunk.lengths, sign).each([&](size_t k, int64_t at, float value) { chunk.local[k][at] += value; });
  });
}

/// A -= m and w -= m, m from `arrived`. Leaves A - w as it is.
void StreamedAverage::add_means(const at::Tensor& arrived) {
  each_chunk([&](int64_t number, const Chunk& chunk) {
    StreamDecoder(row_of(arrived, number), message_bytes_, chunk.lengths).each([&](size_t k, int64_t at, float value) {
      chunk.local[k][at] -= value;
      chunk.anchor[k][at] -= value;
    });
  });
}

/// Waits for the exchange under way. The vectors count then, and what arrived of the matrices is returned.
at::Tensor StreamedAverage::arrive() {
  const double hidden = steady_seconds() - sent_at_ - take_behind();
  wait(arrived_);
  // Of an exchange of the run before nothing is known.
  const bool own = sent_at_ > 0;
  constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
  watch_.saw_exchange(own ? exchange_seconds_ : kUnknown, own ? hidden : kUnknown);
  vectors_.land(sent_, arrived_rows_, message_bytes_);
  flying_ = false;
  ++landed_;
  landed_step_ = sent_step_;
  return std::exchange(arrived_rows_, at::Tensor());
}

/// The pace that was decided in an exchange: rank 0's, in the first row.
std::optional<StreamPace> StreamedAverage::decided_in(const at::Tensor& arrived) const { return watch_.follow(pace_, row_of(arrived, 0), row_bytes_); }

/// The local copies must be up to date, here and below.
void StreamedAverage::land() {
  const at::Tensor arrived = arrive();
  add_own();
  sent_.reset();
  add_means(arrived);
  if (const auto pace = decided_in(arrived)) set_pace(*pace);
}

/// The next message is encoded while this rank waits for the one under way, and what has arrived counts while the next one is on the link: A - w without
/// what was sent is the same before and after. So a link that is the limit is never idle.
void StreamedAverage::land_and_send() {
  add_own();
  at::Tensor next = encode_changes();
  at::Tensor arrived;
  try {
    arrived = arrive();
  } catch (...) {
    // It will not arrive: its message is a part of the changes as before.
    add_sent(-1);
    throw;
  }
  if (const auto pace = decided_in(arrived)) {
    // Its messages have another size.
    add_means(arrived);
    set_pace(*pace);
    send(encode_changes());
    return;
  }
  send(std::move(next));
  add_means(arrived);
}

}  // namespace ringlab
