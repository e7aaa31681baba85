// PowerSGD (Vogels, Karimireddy, Jaggi: arXiv 1905.13727): each matrix as a product of two thin ones.
#pragma once

#include <cstdint>
#include <map>
#include <memory>

#include "sync/codec.h"
#include "sync/compressor.h"

namespace ringlab {

struct PowerSgdSettings {
  int rank = 2;
  bool half_factors = false;  ///< send the factors, and what is not compressed, as fp16
};

/// For each tensor of two dimensions or more, seen as the matrix M of n = size(0) rows: with the warm-started Q of the last
/// time, P = mean over ranks of M Q, orthonormalised; Q = mean of M^T P; the result is P Q^T, and M - P Q^T is kept and
/// added the next time, unless an average holds a number that is not finite: then everything kept stays as it was. All P's lie
/// behind one another in one buffer with what is not compressed (tensors of one dimension,
/// and matrices that are no larger than their factors), then all Q's in a second: two collectives in all.
class PowerSgd : public Compressor {
 public:
  PowerSgd(Communicator& communicator, const std::vector<at::Tensor>& parameters, PowerSgdSettings settings);

  void average(const std::vector<size_t>& which, std::vector<at::Tensor>& values) override;
  void forget() override {
    for (auto& matrix : matrices_) matrix.error.reset();
  }
  NamedTensors state() const override;
  void load_state(const NamedTensors& state) override;

 private:
  struct Matrix {
    int64_t rows = 0;
    int64_t columns = 0;
    int64_t rank = 0;  ///< 0: sent as it is
    at::Tensor factor;  ///< Q, columns x rank
    at::Tensor error;   ///< rows x columns, undefined before the first time
  };
  void mean(at::Tensor& flat) const;

  Communicator& communicator_;
  PowerSgdSettings settings_;
  std::unique_ptr<Codec> half_;
  std::vector<Matrix> matrices_;  ///< one a parameter
};

/// Makes the columns of `matrix` (float, contiguous) orthonormal, one after another (modified Gram-Schmidt, twice). A
/// column that depends on those before it is replaced by a pseudo-random one, the same on all ranks.
void orthonormalize(at::Tensor& matrix);

}  // namespace ringlab
