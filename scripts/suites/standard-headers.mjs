/**
 * Standard headers that C++ files use without including them. Each release of GCC drops some that others included by the way: a
 * file without its own builds on the developer's machine and fails on a node with a newer compiler.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { filesBelow } from './folders.mjs';

/** Left out are `<vector>`, `<string>` and `<utility>`, which libtorch's and most standard headers need themselves. */
const rules = [
  [
    'algorithm',
    /\bstd::(?:all_of|any_of|binary_search|clamp|copy|copy_if|copy_n|count|count_if|equal|equal_range|fill|fill_n|find|find_if|find_if_not|for_each|generate|is_sorted|lexicographical_compare|lower_bound|max|max_element|min|min_element|minmax|mismatch|none_of|nth_element|partial_sort|partition|remove_if|replace|reverse|rotate|search|shuffle|sort|stable_sort|swap_ranges|transform|unique|upper_bound)\s*[(<]/,
  ],
  ['array', /\bstd::array\b/],
  ['atomic', /\bstd::atomic\b/],
  ['charconv', /\bstd::(?:from|to)_chars\b/],
  ['chrono', /\bstd::chrono\b/],
  [
    'cmath',
    /\bstd::(?:ceil|cos|exp|exp2|fabs|floor|fmod|frexp|hypot|isfinite|isinf|isnan|ldexp|llround|log|log2|lround|nextafter|pow|round|sin|sqrt|trunc)\s*\(/,
  ],
  ['condition_variable', /\bstd::condition_variable\b/],
  ['cstddef', /\bstd::(?:byte|ptrdiff_t)\b/],
  ['cstdint', /\bu?int(?:8|16|32|64|ptr)_t\b|\bSIZE_MAX\b|\bU?INT(?:8|16|32|64)_M(?:AX|IN)\b/],
  ['cstdio', /\bstd::(?:FILE|fclose|fopen|fprintf|fputs|fread|fwrite|printf|snprintf)\b/],
  ['cstdlib', /\bstd::(?:abort|exit|free|getenv|malloc|strtod|strtol|strtoll|strtoull)\b/],
  ['cstring', /\bstd::(?:memcmp|memcpy|memset|strcmp|strerror|strlen)\b/],
  ['exception', /\bstd::(?:current_exception|exception_ptr|rethrow_exception)\b/],
  ['functional', /\bstd::function\b/],
  ['limits', /\bstd::numeric_limits\b/],
  ['map', /\bstd::map\b/],
  ['memory', /\bstd::(?:make_shared|make_unique|shared_ptr|unique_ptr)\b/],
  ['mutex', /\bstd::(?:lock_guard|mutex|scoped_lock|unique_lock)\b/],
  ['numeric', /\bstd::(?:accumulate|gcd|inner_product|iota|partial_sum|reduce)\s*\(/],
  ['optional', /\bstd::(?:nullopt|optional)\b/],
  ['random', /\bstd::(?:mt19937\w*|random_device|uniform_\w+)\b/],
  ['set', /\bstd::set\b/],
  ['sstream', /\bstd::[io]?stringstream\b/],
  [
    'stdexcept',
    /\bstd::(?:invalid_argument|length_error|logic_error|out_of_range|overflow_error|runtime_error)\b/,
  ],
  ['string_view', /\bstd::string_view\b/],
  ['system_error', /\bstd::(?:errc|error_code|generic_category|system_category|system_error)\b/],
  ['thread', /\bstd::(?:this_thread|thread)\b/],
  ['unordered_map', /\bstd::unordered_map\b/],
  ['variant', /\bstd::variant\b/],
];

/**
 * The headers that a file uses and neither includes nor has from its own header.
 * @param {string} text
 * @param {string} [own] the text of its own header
 * @returns {string[]}
 */
export function missingHeaders(text, own = '') {
  const code = text.replaceAll(/\/\/[^\n]*/g, '').replaceAll(/"(?:\\.|[^"\\\n])*"/g, '""');
  return rules.flatMap(([header, used]) =>
    used.test(code) && !text.includes(`#include <${header}>`) && !own.includes(`#include <${header}>`)
      ? [header]
      : [],
  );
}

/** @param {string} project @returns {string[]} */
export function headerProblems(project) {
  const native = join(project, 'native');
  const files = filesBelow(native, /\.(?:cpp|h)$/, /^build/);
  const read = (path) => readFileSync(join(native, path), 'utf8');
  const known = new Set(files);
  return files.flatMap((path) => {
    const header = path.replace(/\.cpp$/, '.h');
    const own = header !== path && known.has(header) ? read(header) : '';
    return missingHeaders(read(path), own).map(
      (name) => `native/${path} uses <${name}> and does not include it`,
    );
  });
}
