// `ringlab-train classify`: what a trained model sees in one picture.
#pragma once

#include <string>
#include <vector>

namespace ringlab {

/// `classify CHECKPOINT PICTURE [--top N] [--image-size N] [--input-channels N] [--threads N]`: one JSON object on stdout, on
/// the CPU (PROTOCOL.md, 'Classify'). Where it fails the object holds `error` and the exit code is the error's. Throws
/// Failure (usage).
int classify_command(const std::vector<std::string>& arguments);

}  // namespace ringlab
