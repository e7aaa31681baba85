// safetensors, in which Hugging Face and timm publish weights: the length of a header (8 bytes, little-endian), the header, a
// JSON object with each tensor's dtype, shape and offsets, then the tensors' bytes. No code, no pickle. Source: the format's own
// description, https://huggingface.co/docs/safetensors: the tensors are contiguous, without overlaps and gaps.
#pragma once

#include "base/file_bytes.h"
#include "values/value.h"

namespace ringlab {

/// Does it start as such a file? A zip or a pickle never does.
bool is_safetensors(const FileBytes& file);

/// A dictionary of tensors by name, in file order. Views into the file; copies if a tensor is not aligned to its type's size.
/// Throws FileError for damaged or hostile files, or types that a checkpoint does not contain.
Value read_safetensors(const FileBytes& file);

}  // namespace ringlab
