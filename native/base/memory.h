// Keeps memory that tensors have freed in this process.
#pragma once

namespace ringlab {

/// Keeps freed memory for the next step instead of giving it back to the kernel, which would clear every page again: a step
/// frees and takes the same hundreds of megabytes. The process stays as large as its largest step. Without effect where the C
/// library is not glibc. Call it before the first tensor.
void keep_freed_memory();

}  // namespace ringlab
