#include "collect/patterns/pattern_tree.h"

#include <algorithm>
#include <cctype>
#include <optional>

namespace ringlab {
namespace {

constexpr size_t kMaxExpression = 1000;  ///< bytes, as in a lab
constexpr int kMaxDepth = 50;
constexpr uint32_t kMaxRepeat = 1000;
constexpr uint32_t kUnset = PatternNode::kNoLimit;

using Set = std::bitset<256>;
using Node = PatternNode;

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

Set set_of(bool (*contains)(unsigned char)) {
  Set set;
  for (unsigned c = 0; c < 256; ++c) set[c] = contains(static_cast<unsigned char>(c));
  return set;
}

/// \d, \w, \s and their opposites; nothing for other letters.
std::optional<Set> class_of(char letter) {
  const Set digits = set_of([](unsigned char c) { return c >= '0' && c <= '9'; });
  const Set words = set_of([](unsigned char c) { return is_word(static_cast<char>(c)); });
  const Set spaces = set_of([](unsigned char c) { return c == ' ' || (c >= '\t' && c <= '\r'); });
  switch (letter) {
    case 'd': return digits;
    case 'D': return ~digits;
    case 'w': return words;
    case 'W': return ~words;
    case 's': return spaces;
    case 'S': return ~spaces;
    default: return std::nullopt;
  }
}

class Parser {
 public:
  Parser(std::string_view text, size_t max_groups) : text_(text), max_groups_(max_groups) {}

  PatternTree run() {
    if (text_.size() > kMaxExpression) throw PatternError("longer than 1,000 bytes");
    if (text_.substr(0, 4) == "(?i)") {
      tree_.fold = true;
      at_ = 4;
    }
    tree_.root = choice(0);
    if (at_ != text_.size()) fail("an unmatched )");
    return std::move(tree_);
  }

 private:
  [[noreturn]] void fail(const std::string& what) const { throw PatternError(what + " at character " + std::to_string(at_ + 1)); }
  bool more() const { return at_ < text_.size(); }
  bool take(char c) {
    if (!more() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  Node choice(int depth) {
    if (depth > kMaxDepth) fail("groups are nested too deeply");
    Node node;
    node.kind = Node::Kind::choice;
    node.inner.push_back(sequence(depth));
    while (take('|')) node.inner.push_back(sequence(depth));
    return node.inner.size() == 1 ? std::move(node.inner.front()) : node;
  }

  Node sequence(int depth) {
    Node node;
    node.kind = Node::Kind::sequence;
    while (more() && text_[at_] != '|' && text_[at_] != ')') node.inner.push_back(repeated(depth));
    return node;
  }

  Node repeated(int depth) {
    Node node = atom(depth);
    while (more()) {
      uint32_t min = 0;
      uint32_t max = kUnset;
      if (take('+')) {
        min = 1;
      } else if (take('?')) {
        max = 1;
      } else if (text_[at_] == '{' && counts(min, max)) {
      } else if (!take('*')) {
        break;
      }
      Node outer;
      outer.kind = Node::Kind::repeat;
      outer.min = min;
      outer.max = max;
      outer.lazy = take('?');
      outer.inner.push_back(std::move(node));
      node = std::move(outer);
    }
    return node;
  }

  /// {3}, {2,}, {2,5}; another brace is a literal.
  bool counts(uint32_t& min, uint32_t& max) {
    size_t at = at_ + 1;
    const auto number = [&](uint32_t& value) {
      const size_t first = at;
      uint64_t sum = 0;
      for (; at < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at])) != 0; ++at) sum = std::min<uint64_t>(sum * 10 + static_cast<uint64_t>(text_[at] - '0'), kMaxRepeat + 1);
      value = static_cast<uint32_t>(sum);
      return at > first;
    };
    if (!number(min)) return false;
    max = min;
    if (at < text_.size() && text_[at] == ',') {
      ++at;
      if (!number(max)) max = kUnset;
    }
    if (at == text_.size() || text_[at] != '}') return false;
    if (min > kMaxRepeat || (max != kUnset && (max > kMaxRepeat || max < min))) fail("a repeat that is out of range");
    at_ = at + 1;
    return true;
  }

  Node single(Set set) const {
    Node node;
    node.kind = Node::Kind::set;
    if (tree_.fold) {
      for (unsigned c = 'a'; c <= 'z'; ++c) {
        const bool either = set[c] || set[c - 32];
        set[c] = set[c - 32] = either;
      }
    }
    node.set = set;
    return node;
  }
  Node literal(char c) const {
    Set set;
    set.set(static_cast<unsigned char>(c));
    return single(set);
  }
  static Node assertion(Node::Kind kind) {
    Node node;
    node.kind = kind;
    return node;
  }

  Node atom(int depth) {
    const char c = text_[at_++];
    switch (c) {
      case '(': return group(depth);
      case '[': return brackets();
      case '.': return single(~Set().set('\n'));
      case '^': return assertion(Node::Kind::start);
      case '$': return assertion(Node::Kind::end);
      case '\\': return escape();
      case '*':
      case '+':
      case '?': --at_; fail(std::string("nothing to repeat before ") + c);
      default: return literal(c);
    }
  }

  Node escape() {
    if (!more()) fail("a \\ without a character");
    const char c = text_[at_++];
    if (c == 'b') return assertion(Node::Kind::boundary);
    if (c == 'B') return assertion(Node::Kind::no_boundary);
    if (const auto set = class_of(c)) return single(*set);
    return literal(escaped(c));
  }
  char escaped(char c) {
    switch (c) {
      case 't': return '\t';
      case 'n': return '\n';
      case 'r': return '\r';
      default: break;
    }
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) fail(std::string("\\") + c + " is not supported");
    return c;
  }

  Node group(int depth) {
    Node node;
    node.kind = Node::Kind::group;
    if (take('?')) {
      take('P');
      if (take(':')) {
        node = choice(depth + 1);
        if (!take(')')) fail("a ( without )");
        return node;
      }
      const size_t end = text_.find('>', at_);
      const bool named = take('<') && end != std::string_view::npos && end > at_ && text_[at_] != '=' && text_[at_] != '!';
      if (!named) fail("look-around and flags are not supported");
      tree_.names.emplace_back(text_.substr(at_, end - at_), tree_.groups + 1);
      at_ = end + 1;
    }
    node.group = ++tree_.groups;
    if (tree_.groups > max_groups_) fail("too many groups");
    node.inner.push_back(choice(depth + 1));
    if (!take(')')) fail("a ( without )");
    return node;
  }

  Node brackets() {
    Set set;
    const bool opposite = take('^');
    bool first = true;
    while (first || !more() || text_[at_] != ']') {
      if (!more()) fail("a [ without ]");
      first = false;
      char low = text_[at_++];
      if (low == '\\') {
        if (!more()) fail("a [ without ]");
        const char c = text_[at_++];
        if (const auto inner = class_of(c)) {
          set |= *inner;
          continue;
        }
        low = escaped(c);
      }
      char high = low;
      if (more() && text_[at_] == '-' && at_ + 1 < text_.size() && text_[at_ + 1] != ']') {
        at_ += 1;
        high = text_[at_++];
        if (high == '\\' && more()) high = escaped(text_[at_++]);
        if (static_cast<unsigned char>(high) < static_cast<unsigned char>(low)) fail("a range that runs backwards");
      }
      for (unsigned c = static_cast<unsigned char>(low); c <= static_cast<unsigned char>(high); ++c) set.set(c);
    }
    ++at_;
    const Node plain = single(set);
    Node node = plain;
    if (opposite) node.set = ~plain.set;
    return node;
  }

  std::string_view text_;
  size_t max_groups_;
  size_t at_ = 0;
  PatternTree tree_;
};

}  // namespace

PatternTree parse_pattern(std::string_view expression, size_t max_groups) { return Parser(expression, max_groups).run(); }

}  // namespace ringlab
