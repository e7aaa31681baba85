#include "collect/patterns/pattern.h"

#include <algorithm>
#include <cctype>
#include <utility>

namespace ringlab {
namespace {

constexpr size_t kMaxProgram = 2000;
constexpr uint32_t kUnset = UINT32_MAX;

using Node = PatternNode;

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// The longest run of single characters that every match contains.
std::string needed_text(const Node& root) {
  std::string best;
  std::string run;
  const std::vector<Node> alone{root};
  for (const Node& node : root.kind == Node::Kind::sequence ? root.inner : alone) {
    const bool one = node.kind == Node::Kind::set && node.set.count() == 1;
    if (!one) {
      run.clear();
      continue;
    }
    for (unsigned c = 0; c < 256; ++c) {
      if (node.set[c]) run += static_cast<char>(c);
    }
    if (run.size() > best.size()) best = run;
  }
  return best;
}

}  // namespace

class PatternCompiler {
 public:
  explicit PatternCompiler(Pattern& out) : out_(out) {}

  void run(const PatternTree& tree) {
    out_.needed_ = tree.fold ? "" : needed_text(tree.root);
    out_.names_ = tree.names;
    out_.groups_ = tree.groups;
    emit({Pattern::Op::save, 0, 0});
    compile(tree.root);
    emit({Pattern::Op::save, 1, 0});
    emit({Pattern::Op::match, 0, 0});
  }

 private:
  uint32_t emit(Pattern::Instruction instruction) {
    if (out_.program_.size() >= kMaxProgram) throw PatternError("too many repeats");
    out_.program_.push_back(instruction);
    return static_cast<uint32_t>(out_.program_.size() - 1);
  }
  uint32_t here() const { return static_cast<uint32_t>(out_.program_.size()); }

  /// A choice between what follows and what is set later.
  void prefer(uint32_t split, uint32_t first, uint32_t second, bool lazy) {
    out_.program_[split].x = lazy ? second : first;
    out_.program_[split].y = lazy ? first : second;
  }

  void compile(const Node& node) {
    switch (node.kind) {
      case Node::Kind::set:
        out_.sets_.push_back(node.set);
        emit({Pattern::Op::set, static_cast<uint32_t>(out_.sets_.size() - 1), 0});
        break;
      case Node::Kind::sequence:
        for (const Node& inner : node.inner) compile(inner);
        break;
      case Node::Kind::choice: {
        std::vector<uint32_t> jumps;
        for (size_t i = 0; i < node.inner.size(); ++i) {
          const bool last = i + 1 == node.inner.size();
          const uint32_t split = last ? 0 : emit({Pattern::Op::split, 0, 0});
          const uint32_t first = here();
          compile(node.inner[i]);
          if (last) break;
          jumps.push_back(emit({Pattern::Op::jump, 0, 0}));
          prefer(split, first, here(), false);
        }
        for (const uint32_t jump : jumps) out_.program_[jump].x = here();
        break;
      }
      case Node::Kind::repeat: repeat(node); break;
      case Node::Kind::group:
        emit({Pattern::Op::save, static_cast<uint32_t>(2 * node.group), 0});
        compile(node.inner.front());
        emit({Pattern::Op::save, static_cast<uint32_t>(2 * node.group + 1), 0});
        break;
      case Node::Kind::start: emit({Pattern::Op::start, 0, 0}); break;
      case Node::Kind::end: emit({Pattern::Op::end, 0, 0}); break;
      case Node::Kind::boundary: emit({Pattern::Op::boundary, 0, 0}); break;
      case Node::Kind::no_boundary: emit({Pattern::Op::no_boundary, 0, 0}); break;
    }
  }

  void repeat(const Node& node) {
    const Node& inner = node.inner.front();
    for (uint32_t i = 0; i < node.min; ++i) {
      const uint32_t before = here();
      compile(inner);
      if (here() == before) return;  // nothing, however often
    }
    if (node.max == kUnset) {
      const uint32_t split = emit({Pattern::Op::split, 0, 0});
      const uint32_t first = here();
      compile(inner);
      emit({Pattern::Op::jump, split, 0});
      prefer(split, first, here(), node.lazy);
      return;
    }
    std::vector<std::pair<uint32_t, uint32_t>> splits;
    for (uint32_t i = node.min; i < node.max; ++i) {
      const uint32_t split = emit({Pattern::Op::split, 0, 0});
      splits.emplace_back(split, here());
      compile(inner);
    }
    for (const auto& [split, first] : splits) prefer(split, first, here(), node.lazy);
  }

  Pattern& out_;
};

Pattern::Pattern(std::string_view expression) { PatternCompiler(*this).run(parse_pattern(expression, kMaxGroups - 1)); }

size_t Pattern::group(std::string_view name) const {
  for (const auto& [own, number] : names_) {
    if (own == name) return number;
  }
  return 0;
}

/// Adds a thread and all that it reaches without reading a byte, in order of preference. A stack of its own: expressions may be long.
void Pattern::add(Threads& threads, uint32_t start, const Slots& slots, std::string_view text, size_t position) const {
  std::vector<Thread> stack{{start, slots}};
  const auto now = static_cast<uint32_t>(position + 1);
  while (!stack.empty()) {
    Thread thread = stack.back();
    stack.pop_back();
    if (threads.mark[thread.at] == now) continue;
    threads.mark[thread.at] = now;
    const Instruction& instruction = program_[thread.at];
    const bool before = position > 0 && is_word(text[position - 1]);
    const bool after = position < text.size() && is_word(text[position]);
    bool passes = true;
    switch (instruction.op) {
      case Op::jump: thread.at = instruction.x; break;
      case Op::split: {
        Thread second = thread;
        second.at = instruction.y;
        stack.push_back(second);
        thread.at = instruction.x;
        break;
      }
      case Op::save:
        thread.slots[instruction.x] = static_cast<uint32_t>(position);
        ++thread.at;
        break;
      case Op::start:
        passes = position == 0;
        ++thread.at;
        break;
      case Op::end:
        passes = position == text.size();
        ++thread.at;
        break;
      case Op::boundary:
      case Op::no_boundary:
        passes = (before != after) == (instruction.op == Op::boundary);
        ++thread.at;
        break;
      case Op::set:
      case Op::match: threads.list.push_back(thread); continue;
    }
    if (passes) stack.push_back(thread);
  }
}

std::optional<Pattern::Groups> Pattern::search(std::string_view text) const {
  if (!needed_.empty() && text.find(needed_) == std::string_view::npos) return std::nullopt;
  Threads now;
  Threads next;
  now.mark.assign(program_.size(), 0);
  next.mark.assign(program_.size(), 0);
  Slots unset;
  unset.fill(kUnset);
  std::optional<Slots> matched;
  for (size_t position = 0; position <= text.size(); ++position) {
    // A later start is worth less than all earlier ones, and nothing once there is a match.
    if (!matched) add(now, 0, unset, text, position);
    if (now.list.empty() && matched) break;
    next.list.clear();
    for (const Thread& thread : now.list) {
      const Instruction& instruction = program_[thread.at];
      if (instruction.op == Op::match) {
        matched = thread.slots;
        break;
      }
      if (position < text.size() && sets_[instruction.x][static_cast<unsigned char>(text[position])]) add(next, thread.at + 1, thread.slots, text, position + 1);
    }
    std::swap(now, next);
  }
  if (!matched) return std::nullopt;
  Groups groups;
  for (size_t i = 0; i <= groups_; ++i) {
    const uint32_t first = (*matched)[2 * i];
    const uint32_t last = (*matched)[2 * i + 1];
    if (first != kUnset && last != kUnset && first <= last) groups[i] = text.substr(first, last - first);
  }
  return groups;
}

}  // namespace ringlab
