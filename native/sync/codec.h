// Floats as fewer bytes, block by block.
#pragma once

#include <cstdint>
#include <memory>

namespace ringlab {

/// Stateless; for any thread. `count` is a multiple of block() everywhere; what was encoded together is decoded together.
class Codec {
 public:
  virtual ~Codec() = default;
  /// Elements that are encoded together.
  virtual int64_t block() const = 0;
  /// Bytes of `count` encoded elements.
  virtual int64_t bytes(int64_t count) const = 0;
  virtual void encode(const float* values, int64_t count, uint8_t* out) const = 0;
  virtual void decode(const uint8_t* in, int64_t count, float* values) const = 0;
  /// Loses so much that what is lost must be kept and sent later (error feedback).
  virtual bool coarse() const = 0;
};

/// IEEE half precision, rounded to nearest: relative error at most 2^-11 from 6.1e-5 to 65504.
std::unique_ptr<Codec> make_fp16_codec();
/// The upper half of a float, rounded to nearest: relative error at most 2^-8.
std::unique_ptr<Codec> make_bf16_codec();
/// Blocks of 256: a float32 scale s = largest magnitude / L, then round(x / s) in -L … L. Error at most s / 2.
/// `bits` is 8 (L = 127) or 4 (L = 7, two values a byte). A block with a value that is not finite decodes to NaNs.
std::unique_ptr<Codec> make_integer_codec(int bits);
/// The largest values alone, as many as fit into `bits` a value (0.01 to 4) of all that are encoded together: where the next
/// one is, in Rice's code (1979) with a parameter for every 128 of them, its sign, and the mean magnitude of the 128.
/// As sparse ternary compression (Sattler et al. 2019, arXiv 1903.02891), which has one parameter and one magnitude for all:
/// layers differ in both. If a value is not finite, all decode to NaNs.
std::unique_ptr<Codec> make_sparse_codec(double bits);

}  // namespace ringlab
