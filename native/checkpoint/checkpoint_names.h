// Names of rank 0's files, as in main.py.
#pragma once

#include <cstdint>
#include <string>

namespace ringlab {

constexpr const char* kCheckpointFile = "checkpoint.pth.tar";
constexpr const char* kBestFile = "model_best.pth.tar";
/// With --keep-every: the checkpoint after `epoch` complete epochs.
inline std::string kept_checkpoint_file(int64_t epoch) { return "checkpoint-epoch-" + std::to_string(epoch) + ".pth.tar"; }

}  // namespace ringlab
