// Keeps freed tensor memory in this process.
#pragma once

namespace ringlab {

/// Keeps freed memory for the next step instead of returning it to the kernel, which would zero every page again: each step
/// frees and allocates the same hundreds of megabytes. The process stays as large as its largest step. No effect without
/// glibc. Call it before the first tensor is allocated.
void keep_freed_memory();

}  // namespace ringlab
