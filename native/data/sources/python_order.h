// Python's sort order of file names.
#pragma once

#include <string>

namespace ringlab {

/// a < b as Python's strings compare: by code points, an invalid UTF-8 byte counting as U+DC00 plus the byte (os.fsdecode: UTF-8,
/// surrogateescape). This differs from byte order: such a byte sorts before U+E000 and later code points.
bool python_less(const std::string& a, const std::string& b);

}  // namespace ringlab
