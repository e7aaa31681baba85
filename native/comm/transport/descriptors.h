// The limit of this process's file descriptors: each connection takes one.
#pragma once

#include <cstddef>
#include <string>

namespace ringlab {

/// Raises this process's soft limit of descriptors towards the hard one: the soft one is 1024 on most systems, which connections to a few hundred ranks reach. Throws Failure, which names
/// the limit, where the descriptors that are open and `more` others do not fit below it. `who` needs them: "rank 0 of 600".
void make_room_for_descriptors(size_t more, const std::string& who);

}  // namespace ringlab
