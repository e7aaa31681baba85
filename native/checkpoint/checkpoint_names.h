// The files of rank 0: main.py's names.
#pragma once

namespace ringlab {

constexpr const char* kCheckpointFile = "checkpoint.pth.tar";
constexpr const char* kBestFile = "model_best.pth.tar";

}  // namespace ringlab
