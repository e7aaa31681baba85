// `ringlab-train classify`: the classes of one image by a trained model.
#pragma once

#include <string>
#include <vector>

namespace ringlab {

/// `classify CHECKPOINT IMAGE [--top N] [--image-size N] [--input-channels N] [--threads N]`: one JSON object on stdout, on
/// the CPU (PROTOCOL.md, 'Classify'). On failure the object has `error`, and the exit code is the error's. Throws Failure
/// (usage).
int classify_command(const std::vector<std::string>& arguments);

}  // namespace ringlab
