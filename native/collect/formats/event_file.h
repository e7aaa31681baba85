// TensorBoard's event files: length, masked CRC-32C, an Event message, masked CRC-32C.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "collect/records/reader.h"

namespace ringlab {

/// Scalars as `simple_value` (v1: tf.summary 1, torch, tensorboardX) and as a tensor of one number (v2). Of histograms and
/// pictures of a name the first 64 are found, and then fewer and fewer; the like, and those of more than 200 names, are counted. An event whose CRC is wrong is
/// left out; where a length is wrong, the next record is looked for. Each is one problem.
class EventFile : public Reader {
 public:
  uint64_t read(std::string_view bytes, bool last, std::vector<Found>& found) override;
  std::string state() const override;
  void restore(const std::string& state) override;
  uint64_t others() const override { return others_; }

 private:
  /// `at`: where the message begins in what was given to read().
  void event(std::string_view message, uint64_t at, uint64_t end, std::vector<Found>& found);
  void value(std::string_view message, std::string_view whole, Found& record, std::vector<Found>& media);
  bool is_sampled(std::string_view tag);

  uint64_t others_ = 0;
  std::map<std::string, uint64_t> seen_;  ///< of each name with histograms or pictures
  bool searching_ = false;
};

}  // namespace ringlab
