// The largest values alone, with error feedback (Stich, Cordonnier, Jaggi: arXiv 1809.07599; Lin et al.: arXiv 1712.01887).
#pragma once

#include <cstdint>

#include "sync/compressor.h"

namespace ringlab {

/// The values of one average lie behind one another in one vector, in blocks of 65,536; of each block the
/// ceil(fraction * elements) largest in magnitude go to all ranks, as a 16-bit place and an fp16 multiple of the block's
/// largest magnitude (a float32): 4 bytes a value and 4 a block, in one all-gather. The rest, and what the rounding
/// lost, is kept and added the next time, unless a value is not finite: then what was kept before stays.
class TopK : public Compressor {
 public:
  TopK(Communicator& communicator, const std::vector<at::Tensor>& parameters, double fraction);

  void average(const std::vector<size_t>& which, std::vector<at::Tensor>& values) override;
  void forget() override { errors_.assign(errors_.size(), at::Tensor()); }
  NamedTensors state() const override;
  void load_state(const NamedTensors& state) override;

 private:
  Communicator& communicator_;
  double fraction_;
  std::vector<at::Tensor> errors_;  ///< one a parameter, flat; undefined before the first time
  std::vector<int64_t> lengths_;
};

}  // namespace ringlab
