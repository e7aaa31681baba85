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

/// Whether a line begins with the word at `at`, behind what loggers and launchers put before lines (`[rank0]: 2026-11-23 14:22:33 - INFO - `) and
/// words as in `Starting epoch 3`: not so `Save checkpoint at step 1000`.
bool leads_line(std::string_view line, size_t at);

/// Lines of which numbers are never metrics: settings, source code in warnings and tracebacks, downloads of data and models, what
/// a scheduler says (`Epoch 00010: reducing learning rate of group 0 to 1e-3`, whose epoch is its own count of calls).
bool is_ordinary(std::string_view line);

/// Bars of preparation say nothing about how far the training is, unless they have metrics.
bool is_side_work(std::string_view description);

}  // namespace ringlab
