// safetensors, in which Hugging Face and timm publish weights: the length of a header (8 bytes, the lowest first), the header, a JSON
// object with each tensor's dtype, shape and place, then the tensors' bytes. No code, no pickle. Source: the format's own description,
// https://huggingface.co/docs/safetensors: the tensors lie one after the other, none over another and nothing between them.
#pragma once

#include "base/file_bytes.h"
#include "values/value.h"

namespace ringlab {

/// Does it begin as such a file does? No zip and no pickle does so.
bool is_safetensors(const FileBytes& file);

/// A dictionary of tensors by name, in the order in which they lie in the file. Views into it; copies where a tensor does not lie at a multiple of
/// its type's size. Throws FileError for what is damaged, hostile, or of a type that a checkpoint does not hold.
Value read_safetensors(const FileBytes& file);

}  // namespace ringlab
