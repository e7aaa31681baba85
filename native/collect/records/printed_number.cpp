#include "collect/records/printed_number.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <iterator>
#include <limits>
#include <string>
#include <system_error>

namespace ringlab {
namespace {

/// What libraries call a single number in its printed form.
bool holds_number(std::string_view type) {
  constexpr std::string_view kTypes[] = {"tensor", "array", "Array", "float16", "float32", "float64", "int32", "int64"};
  return std::find(std::begin(kTypes), std::end(kTypes), type) != std::end(kTypes);
}

/// The ')' that ends the call whose arguments go on at `at`.
size_t end_of_call(std::string_view line, size_t at) {
  size_t depth = 1;
  for (; at < line.size(); ++at) {
    if (line[at] == '(') ++depth;
    if (line[at] == ')' && --depth == 0) return at;
  }
  return std::string_view::npos;
}

}  // namespace

size_t number_at(std::string_view text, double& number) {
  const bool plus = !text.empty() && text.front() == '+';
  if (plus) text.remove_prefix(1);
  if (text.empty()) return 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), number);
  if (result.ec == std::errc::result_out_of_range) {
    number = std::numeric_limits<double>::infinity();
  } else if (result.ec != std::errc()) {
    return 0;
  }
  return static_cast<size_t>(result.ptr - text.data()) + (plus ? 1 : 0);
}

size_t grouped_number_at(std::string_view text, double& number) {
  const auto digits = [&](size_t at) {
    size_t end = at;
    while (end < text.size() && is_digit(text[end])) ++end;
    return end - at;
  };
  size_t end = digits(0);
  if (end == 0 || end > 3) return 0;
  std::string plain(text.substr(0, end));
  if (plain.front() == '0') {
    // No thousands begin so: `0,523` has a decimal comma, unless it is one of a list.
    const size_t fraction = end == 1 && end < text.size() && text[end] == ',' ? digits(end + 1) : 0;
    const size_t behind = end + 1 + fraction;
    if (fraction == 0 || (behind + 1 < text.size() && (text[behind] == ',' || text[behind] == '.') && is_digit(text[behind + 1]))) return 0;
    return number_at(plain + "." + std::string(text.substr(end + 1, fraction)), number) > 0 ? behind : 0;
  }
  while (end < text.size() && text[end] == ',' && digits(end + 1) == 3 && plain.size() < 18) {
    plain += text.substr(end + 1, 3);
    end += 4;
  }
  if (plain.size() == end || (end < text.size() && text[end] == ',' && digits(end + 1) > 0)) return 0;
  if (end < text.size() && text[end] == '.') {
    const size_t length = 1 + digits(end + 1);
    plain += text.substr(end, length);
    end += length;
  }
  return number_at(plain, number) == plain.size() ? end : 0;
}

size_t whole_number_at(std::string_view text, double& number) {
  size_t end = 0;
  while (end < text.size() && text[end] >= '0' && text[end] <= '9') ++end;
  if (end == 0 || end > 15) return 0;
  uint64_t whole = 0;
  std::from_chars(text.data(), text.data() + end, whole);
  number = static_cast<double>(whole);
  return end;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_' || (static_cast<unsigned char>(c) & 0x80) != 0; }

std::string with_plain_numbers(std::string_view line) {
  std::string out;
  size_t done = 0;
  for (size_t open = line.find('('); open != std::string_view::npos; open = line.find('(', open + 1)) {
    size_t start = open;
    while (start > done && (is_letter(line[start - 1]) || is_digit(line[start - 1]) || line[start - 1] == '.')) --start;
    const std::string_view name = line.substr(start, open - start);
    if (!holds_number(name.substr(name.rfind('.') + 1))) continue;
    double ignored = 0;
    const std::string_view number = line.substr(open + 1, number_at(line.substr(open + 1), ignored));
    const size_t behind = open + 1 + number.size();
    if (number.empty() || behind == line.size() || (line[behind] != ',' && line[behind] != ')')) continue;
    const size_t end = end_of_call(line, behind);
    if (end == std::string_view::npos) break;
    out += line.substr(done, start - done);
    out += number;
    done = end + 1;
    open = end;
  }
  return out += line.substr(done);
}

bool number_begins(std::string_view line, size_t at) {
  const char c = line[at];
  const char next = at + 1 < line.size() ? line[at + 1] : ' ';
  return is_digit(c) || ((c == '+' || c == '-' || c == '.') && (is_digit(next) || (next == '.' && c != '.')));
}

bool is_glued(std::string_view line, size_t at) {
  const auto here = [&](size_t ahead) { return at + ahead < line.size() ? line[at + ahead] : ' '; };
  const char next = here(1);
  switch (here(0)) {
    case ':':
    case '.':
      return is_digit(next);
    case '-':
      return is_digit(next) || is_letter(next);
    case '+':
      return std::isspace(static_cast<unsigned char>(next)) == 0;
    default:
      return false;
  }
}

}  // namespace ringlab
