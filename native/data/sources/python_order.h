// The order in which Python sorts the names of files.
#pragma once

#include <string>

namespace ringlab {

/// a < b as Python's strings compare: by code points, a byte that is no UTF-8 being U+DC00 more (os.fsdecode: UTF-8, surrogateescape).
/// It is not the order of the bytes: such a byte comes before U+E000 and all behind it.
bool python_less(const std::string& a, const std::string& b);

}  // namespace ringlab
