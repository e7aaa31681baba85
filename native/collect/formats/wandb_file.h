// W&B's offline files (run-*.wandb): LevelDB's log format with protobuf records.
#pragma once

#include <cstdint>
#include <string_view>

#include "collect/records/reader.h"

namespace ringlab {

/// Reads the history items of files with version 0 of the header, which all clients from 0.10 to 0.2x write (wandb/sdk/internal/datastore.py, wandb_internal.proto). A
/// record whose checksum is wrong is left out.
class WandbFile : public Reader {
 public:
  uint64_t read(std::string_view bytes, bool last, std::vector<Found>& found) override;
  std::string state() const override;
  void restore(const std::string& state) override;

 private:
  void record(std::string_view message, uint64_t end, std::vector<Found>& found);

  uint64_t position_ = 0;  ///< bytes done: records are divided at multiples of 32 KiB
  bool foreign_ = false;   ///< another format: nothing is read
};

}  // namespace ringlab
