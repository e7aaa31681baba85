// The small part of a streamed average: vectors (biases, batch norms), whose changes all go, in 16 bits.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "comm/collectives/communicator.h"
#include "sync/codec.h"
#include "sync/compressor.h"

namespace ringlab {

/// Bits of a vector's value in a message.
constexpr double kVectorBits = 16;

/// Are the values the anchor's, as far as both types hold them?
bool stand_on(const at::Tensor& values, const at::Tensor& anchor);

/// Anchor, residual and rules are StreamedAverage's, but for what is sent: every value, as a half. Rows are its
/// messages, (W, bytes); the vectors' part of each begins at `from`. For one thread at a time.
class VectorStream {
 public:
  /// `vectors` are equal on all ranks now; may be none.
  VectorStream(const Communicator& communicator, std::vector<at::Tensor> vectors);

  /// They lie elsewhere now, as they are otherwise.
  void use_memory(std::vector<at::Tensor> vectors) { vectors_ = std::move(vectors); }

  int64_t count() const { return anchor_.numel(); }
  /// In each row.
  int64_t bytes() const { return codec_->bytes(chunk_); }

  /// What changed, chunk j into row j.
  void encode(const at::Tensor& rows, int64_t from) const;
  /// Adds up this rank's chunk of what all sent, and writes their mean into the one row of `mean`.
  void sum(const at::Tensor& received, const at::Tensor& mean, int64_t from);
  /// Lets an exchange count: what this rank sent, and all means.
  void land(const at::Tensor& sent, const at::Tensor& means, int64_t from);
  /// Where ranks were lost: the anchor, what this rank sent, and moves of its own values.
  const at::Tensor& anchor() const { return anchor_; }
  at::Tensor changes_in(const at::Tensor& sent, int64_t from) const { return decoded(sent, from).narrow(0, 0, count()); }
  void move(const at::Tensor& by) { unflatten(flatten(vectors_).cpu().add_(by), vectors_); }
  void move_to_anchor() { unflatten(anchor_, vectors_); }
  void move_anchor() { anchor_ = flatten(vectors_).cpu(); }
  bool stand_on_anchor() const;
  void forget() { residual_.zero_(); }
  /// A collective: brings all ranks to one point.
  void synchronise(Communicator& communicator);

  /// `apart`: the ranks' values differ.
  NamedTensors state(bool apart) const;
  /// `take(name, like)` gives a tensor of that shape back, or throws.
  template <typename Take>
  void load_state(bool apart, Take&& take) {
    residual_ = take("vectors_residual", residual_);
    if (apart) load_own(take);
  }
  template <typename Take>
  void load_own(Take&& take) {
    anchor_ = take("vectors_anchor", anchor_);
    unflatten(take("vectors_local", anchor_), vectors_);
  }

 private:
  at::Tensor change() const;
  at::Tensor decoded(const at::Tensor& rows, int64_t from) const;

  std::unique_ptr<Codec> codec_;
  int64_t world_;
  int64_t rank_;
  std::vector<at::Tensor> vectors_;
  at::Tensor anchor_;  ///< of all vectors, flat
  int64_t chunk_;      ///< values that one rank adds up, whole blocks; the last ones may have fewer
  at::Tensor residual_;
};

}  // namespace ringlab
