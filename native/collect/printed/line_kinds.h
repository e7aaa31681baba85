// What kind of line or progress bar a printed one is.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ringlab {

std::string_view trimmed(std::string_view text);

/// Cells of `|  AP  |  AP50  |  APs  |`, without spaces around them; nothing for another line.
std::vector<std::string_view> cells_of(std::string_view line);

bool has_digit(std::string_view text);

/// Bars that are the same but for their numbers are drawn by the same loop.
std::string without_numbers(std::string_view text);

/// The phase that any word of a text names: "train", "val", "test" or "".
std::string_view phase_in(std::string_view text);

/// Lines of which numbers are never metrics: settings, source code in warnings and tracebacks, downloads of data and models.
bool is_ordinary(std::string_view line);

/// Bars of preparation and evaluation say nothing about how far the training is.
bool is_side_work(std::string_view description);

}  // namespace ringlab
