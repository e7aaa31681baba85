#include "data/pixels/resample.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <tuple>
#include <utility>

namespace ringlab {
namespace {

/// Pillow's precompute_coeffs and normalize_coeffs_8bpc with the triangle filter, for output pixels begin to end - 1 of
/// `output_size`; in reverse order if `reversed`.
void make_filter(int input_size, double from, double to, int output_size, int begin, int end, bool reversed, FilterTable& filter) {
  const double scale = (to - from) / output_size;
  const double filter_scale = std::max(scale, 1.0);
  const double support = filter_scale;
  const int taps = static_cast<int>(std::ceil(support)) * 2 + 1;
  const auto size = static_cast<size_t>(end - begin);
  filter.first.resize(size);
  filter.count.resize(size);
  int longest = 1;
  for (size_t i = 0; i < size; ++i) {
    const int number = reversed ? end - 1 - static_cast<int>(i) : begin + static_cast<int>(i);
    const double center = from + (number + 0.5) * scale;
    filter.first[i] = std::max(0, static_cast<int>(center - support + 0.5));
    filter.count[i] = std::min(std::min(input_size, static_cast<int>(center + support + 0.5)) - filter.first[i], taps);
    longest = std::max(longest, filter.count[i]);
  }
  filter.blocks = (longest + 3) / 4;
  const size_t stride = size_t{4} * static_cast<size_t>(filter.blocks);
  filter.weights.assign(size * stride, 0);
  std::vector<double> row(static_cast<size_t>(longest));
  for (size_t i = 0; i < size; ++i) {
    const int number = reversed ? end - 1 - static_cast<int>(i) : begin + static_cast<int>(i);
    const double center = from + (number + 0.5) * scale;
    double sum = 0;
    for (int k = 0; k < filter.count[i]; ++k) {
      const double distance = std::abs((k + filter.first[i] - center + 0.5) / filter_scale);
      row[static_cast<size_t>(k)] = distance < 1 ? 1 - distance : 0;
      sum += row[static_cast<size_t>(k)];
    }
    for (int k = 0; k < filter.count[i]; ++k) {
      const double weight = sum != 0 ? row[static_cast<size_t>(k)] / sum : 0;
      filter.weights[i * stride + static_cast<size_t>(k)] = static_cast<int32_t>(0.5 + weight * (1 << kWeightBits));
    }
  }
}

/// First and last pixel that a filter reads.
std::pair<int, int> reach(const FilterTable& filter) {
  int first = filter.first[0];
  int end = 0;
  for (size_t i = 0; i < filter.size(); ++i) {
    first = std::min(first, filter.first[i]);
    end = std::max(end, filter.first[i] + filter.count[i]);
  }
  return {first, end};
}

}  // namespace

void Resampler::start(int source_width, int source_height, const Resampling& wanted) {
  make_filter(source_width, wanted.box.left, wanted.box.right, wanted.width, wanted.left, wanted.left + wanted.columns, wanted.flip, across_);
  make_filter(source_height, wanted.box.top, wanted.box.bottom, wanted.height, wanted.top, wanted.top + wanted.rows, false, down_);
  std::tie(first_column_, end_column_) = reach(across_);
  std::tie(first_row_, end_row_) = reach(down_);
  for (auto& first : across_.first) first -= first_column_;
  split_weights(across_);
  touched_ = across_.bytes_touched();
  taken_ = kept_ = next_ = 0;
  // Rows are moved to the front at most once in four rows.
  const size_t stride = across_.size() * 4;
  const size_t needed = stride * size_t{16} * static_cast<size_t>(down_.blocks);
  if (middle_.size() < needed) middle_.resize(needed);
  out_.resize(stride);
}

void Resampler::take(const uint8_t* rgb, size_t readable) {
  if (readable < touched_) {
    padded_.resize(std::max(padded_.size(), touched_));
    std::memcpy(padded_.data(), rgb, std::min(readable, touched_));
    rgb = padded_.data();
  }
  const size_t stride = across_.size() * 4;
  size_t at = stride * static_cast<size_t>(taken_ - kept_);
  if (at + stride > middle_.size()) {
    const int unneeded = std::min(taken_, down_.first[static_cast<size_t>(next_)] - first_row_) - kept_;
    const size_t bytes = stride * static_cast<size_t>(unneeded);
    std::memmove(middle_.data(), middle_.data() + bytes, at - bytes);
    kept_ += unneeded;
    at -= bytes;
    if (at + stride > middle_.size()) middle_.resize(2 * (at + stride));  // output rows that were not requested yet
  }
  kernels_.across(across_, rgb, middle_.data() + at);
  ++taken_;
}

const uint8_t* Resampler::next() {
  const auto i = static_cast<size_t>(next_);
  if (i == down_.size() || down_.first[i] + down_.count[i] - first_row_ > taken_) return nullptr;
  const size_t stride = across_.size() * 4;
  const uint8_t* rows = middle_.data() + stride * static_cast<size_t>(down_.first[i] - first_row_ - kept_);
  kernels_.down(rows, stride, down_.weights.data() + i * 4 * static_cast<size_t>(down_.blocks), down_.count[i], stride, out_.data());
  ++next_;
  return out_.data();
}

}  // namespace ringlab
