// TensorBoard's event files: length, masked CRC-32C, an Event message, masked CRC-32C.
#pragma once

#include <cstdint>
#include <string_view>

#include "collect/records/reader.h"

namespace ringlab {

/// Scalars as `simple_value` (v1: tf.summary 1, torch, tensorboardX) and as a tensor of one number (v2). Histograms, images and the like are counted. An event whose CRC is wrong is
/// left out; where a length is wrong, the next record is looked for. Each is one problem.
class EventFile : public Reader {
 public:
  uint64_t read(std::string_view bytes, bool last, std::vector<Found>& found) override;
  std::string state() const override;
  void restore(const std::string& state) override;
  uint64_t others() const override { return others_; }

 private:
  void event(std::string_view message, uint64_t end, std::vector<Found>& found);
  void value(std::string_view message, Found& record);

  uint64_t others_ = 0;
  bool searching_ = false;
};

}  // namespace ringlab
