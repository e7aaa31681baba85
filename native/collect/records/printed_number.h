// Numbers as programs print them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace ringlab {

/// A number at the start of `text`, which may begin with '+': its length, 0 without one. nan and inf are numbers.
size_t number_at(std::string_view text, double& number);

/// A number with commas between thousands at the start of `text`, as 1,234,567.5, or with a comma before its decimals, as 0,25: its length,
/// 0 for anything else.
size_t grouped_number_at(std::string_view text, double& number);

/// The same of digits alone, at most 15: a count.
size_t whole_number_at(std::string_view text, double& number);

bool is_digit(char c);
/// Letters of any script, and '_'.
bool is_letter(char c);

inline bool is_beyond_ascii(char c) { return (static_cast<unsigned char>(c) & 0x80) != 0; }

/// The line with 0.25 in place of `tensor(0.25, device='cuda:0')`, `np.float32(0.25)` and the like.
std::string with_plain_numbers(std::string_view line);

/// Does a number stand at `at`, with its sign?
bool number_begins(std::string_view line, size_t at);

/// Whether digits that end at `at` are a part of something else: 12:30:01, 2026-11-23, 127.0.0.1, 2.1.0+cu118.
bool is_glued(std::string_view line, size_t at);

}  // namespace ringlab
