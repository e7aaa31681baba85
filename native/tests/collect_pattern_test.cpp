// Users' regular expressions: what Python's re finds, in linear time.
#include <gtest/gtest.h>

#include "collect/patterns/pattern.h"

namespace ringlab {
namespace {

/// The groups, joined with '|'; "none" without a match.
std::string found(const std::string& expression, const std::string& text) {
  const Pattern pattern(expression);
  const auto groups = pattern.search(text);
  if (!groups) return "none";
  std::string out;
  for (size_t i = 0; i <= pattern.groups(); ++i) out += (i > 0 ? "|" : "") + std::string((*groups)[i].value_or("-"));
  return out;
}

/// The expected values are those of Python's re.search.
TEST(CollectPattern, FindsWhatPythonFinds) {
  EXPECT_EQ(found("a", "xxa"), "a");
  EXPECT_EQ(found("loss is (\\d+\\.\\d+)", "the loss is 0.25 now"), "loss is 0.25|0.25");
  EXPECT_EQ(found("(a+)(b*)", "xaabbb"), "aabbb|aa|bbb");
  EXPECT_EQ(found("(a+?)(a*)", "aaa"), "aaa|a|aa");
  EXPECT_EQ(found("(a|ab)(c|bcd)", "abcd"), "abcd|a|bcd");
  EXPECT_EQ(found("^b", "ab"), "none");
  EXPECT_EQ(found("b$", "ab"), "b");
  EXPECT_EQ(found("\\bfoo\\b", "a foo b"), "foo");
  EXPECT_EQ(found("\\bfoo\\b", "afoo"), "none");
  EXPECT_EQ(found("[a-c]{2,3}", "abcabc"), "abc");
  EXPECT_EQ(found("[^a-c]+", "abxyz"), "xyz");
  EXPECT_EQ(found("[]x]+", "a]x"), "]x");
  EXPECT_EQ(found("[\\d.-]+", "v -1.5"), "-1.5");
  EXPECT_EQ(found("a{,2}", "a{,2}"), "a{,2}") << "a literal, as in Python before 3.14";
  EXPECT_EQ(found("x*", "aaa"), "");
  EXPECT_EQ(found("(?i)LOSS=(\\S+)", "Loss=1e-3 x"), "Loss=1e-3|1e-3");
  EXPECT_EQ(found("(?:ab)+c", "ababc"), "ababc");
  EXPECT_EQ(found("(?P<v>\\d+) (?<w>\\w+)", "12 ab"), "12 ab|12|ab");
  EXPECT_EQ(found("a|b|", "b"), "b");
  EXPECT_EQ(found("(a)|(b)", "b"), "b|-|b");
  EXPECT_EQ(found("损失(.*)", "损失0.5"), "损失0.5|0.5");
  EXPECT_EQ(found("()*", "x"), "|-") << "a repeat of nothing ends";
}

TEST(CollectPattern, RefusesWhatItCannotMatchInLinearTime) {
  for (const char* text : {"(a", "a)", "[a", "*a", "a**b(", "\\1", "(?=a)", "(?<=a)b", "(?!a)", "a{3,2}", "[z-a]", "\\", "((((((((((a))))))))))", "(?P<a"}) EXPECT_THROW(Pattern{text}, PatternError) << text;
  EXPECT_THROW(Pattern(std::string(1001, 'a')), PatternError);
  EXPECT_THROW(Pattern("(a{1000}){1000}"), PatternError);
  EXPECT_THROW(Pattern(std::string(200, '(')), PatternError);
  EXPECT_NO_THROW(Pattern("(?:){1000}{1000}{1000}"));
}

/// Backtracking takes longer than the universe exists: here it is over at once.
TEST(CollectPatternAttack, ExponentialExpressionsAreLinear) {
  EXPECT_EQ(found("(a*)*b", std::string(2000, 'a')), "none");
  EXPECT_EQ(found("(a|a)*c", std::string(2000, 'a')), "none");
  EXPECT_EQ(found("^(([a-z])+.)+[A-Z]([a-z])+$", std::string(2000, 'a')), "none");
}

}  // namespace
}  // namespace ringlab
