// An all-reduce of encoded values: reduce-scatter and all-gather with our own arithmetic between them.
#pragma once

#include <map>
#include <memory>

#include "sync/codec.h"
#include "sync/compressor.h"

namespace ringlab {

/// What one exchange loses, where the codec is coarse: this rank's part, and that of the chunk which it sums for all.
struct CodingError {
  at::Tensor own;    ///< of the whole vector
  at::Tensor chunk;  ///< of this rank's chunk
};

/// The mean over all ranks of a flat float vector on the CPU. Each rank sends every other one its encoded chunk of the
/// vector, sums its own chunk in float in the order of ranks, and gives the encoded mean to all: 2 (W - 1) chunks are
/// sent, chunk = bytes(count / W rounded up to whole blocks), and every rank decodes the same bytes. `error` is added
/// beforehand and replaced (as in 1-bit Adam, arXiv 2102.02888); where it is null, what the codec loses is lost.
at::Tensor coded_mean(Communicator& communicator, const at::Tensor& flat, const Codec& codec, CodingError* error);

class CodedAverage : public Compressor {
 public:
  CodedAverage(Communicator& communicator, std::unique_ptr<Codec> codec) : communicator_(communicator), codec_(std::move(codec)) {}

  /// With a coarse codec the sets `which` must be the same every time, and share no parameter.
  void average(const std::vector<size_t>& which, std::vector<at::Tensor>& values) override;
  void forget() override { errors_.clear(); }
  NamedTensors state() const override;
  void load_state(const NamedTensors& state) override;

 private:
  Communicator& communicator_;
  std::unique_ptr<Codec> codec_;
  std::map<size_t, CodingError> errors_;  ///< by the first matrix of the set
};

}  // namespace ringlab
