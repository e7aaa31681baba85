// The pickle machine's stack and memo. No container can contain itself, and nesting is limited.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>

#include "values/pickle_machine.h"

namespace ringlab {

void PickleMachine::push(Value value) {
  depths_.erase(value.identity());  // a freed container may have had this address
  stack_.emplace_back().value = std::move(value);
}

void PickleMachine::push(Entry::Kind kind) { stack_.emplace_back().kind = kind; }

PickleMachine::Entry PickleMachine::pop() {
  if (stack_.empty()) fail("its stack is empty");
  Entry entry = std::move(stack_.back());
  stack_.pop_back();
  return entry;
}

PickleMachine::Entry& PickleMachine::top() {
  if (stack_.empty()) fail("its stack is empty");
  return stack_.back();
}

Value PickleMachine::pop_value() {
  return value_of(pop());
}

/// Everything above the last mark, which is removed, too.
std::vector<PickleMachine::Entry> PickleMachine::pop_to_mark() {
  size_t mark = stack_.size();
  while (mark > 0 && stack_[mark - 1].kind != Entry::Kind::mark) --mark;
  if (mark == 0) fail("a mark is missing");
  const auto first = stack_.begin() + static_cast<std::ptrdiff_t>(mark);
  std::vector<Entry> entries(std::make_move_iterator(first), std::make_move_iterator(stack_.end()));
  stack_.resize(mark - 1);
  return entries;
}

std::vector<PickleMachine::Entry> PickleMachine::pop_entries(size_t count) {
  std::vector<Entry> entries(count);
  for (size_t i = count; i-- > 0;) entries[i] = pop();
  return entries;
}

/// Counts the nesting of containers.
void PickleMachine::nest(const Value& container, const Value& element) {
  const void* inner = element.identity();
  if (inner == nullptr) return;
  const auto found = depths_.find(inner);
  const size_t below = found == depths_.end() ? 1 : found->second;
  size_t& depth = depths_[container.identity()];
  depth = std::max(depth, below + 1);
  if (depth > kMaxPickleDepth) fail("its values are nested too deeply");
}

void PickleMachine::push_tuple(std::vector<Entry> entries) {
  bool values = true;
  for (auto& entry : entries) {
    if (entry.kind == Entry::Kind::mark) fail("a tuple holds something that is no value");
    if (entry.kind == Entry::Kind::arguments) {
      Entry plain;
      plain.value = value_of(std::move(entry));
      entry = std::move(plain);
    }
    values = values && entry.kind == Entry::Kind::value && (!entry.foreign || foreign_ == Foreign::ignored);
  }
  if (!values) {
    push(Entry::Kind::arguments);
    stack_.back().arguments = std::make_shared<std::vector<Entry>>(std::move(entries));
    return;
  }
  List items;
  for (auto& entry : entries) items.push_back(std::move(entry.value));
  push(Value::tuple(std::move(items)));
  const Value& tuple = stack_.back().value;
  for (const auto& item : tuple.items()) nest(tuple, item);
}

void PickleMachine::push_dict(Value filled) {
  work(filled.entries().size());
  push(std::move(filled));
  const Value& dict = stack_.back().value;
  for (const auto& [key, value] : dict.entries()) {
    nest(dict, key);
    nest(dict, value);
  }
}

void PickleMachine::append(std::vector<Entry> entries) {
  Entry& target = top();
  if (target.foreign) return;  // a list of another class: its elements are not needed
  if (!target.is(Value::Kind::list)) fail("elements for something that is no list");
  for (auto& entry : entries) {
    Value element = value_of(std::move(entry));
    nest(target.value, element);
    target.value.items().push_back(std::move(element));
  }
}

void PickleMachine::set_items(std::vector<Entry> entries) {
  if (entries.size() % 2 != 0) fail("a key without a value");
  Entry& target = top();
  if (target.kind != Entry::Kind::value || !target.value.is_dict()) fail("items for something that is no dict");
  for (size_t i = 0; i < entries.size(); i += 2) {
    Value key = value_of(std::move(entries[i]));
    Value value = value_of(std::move(entries[i + 1]));
    nest(target.value, key);
    nest(target.value, value);
    target.value.entries().emplace_back(std::move(key), std::move(value));
  }
}

void PickleMachine::put_memo(uint64_t key) {
  const Entry& entry = top();
  if (entry.kind == Entry::Kind::mark) fail("a mark cannot be memoised");
  if (entry.is(Value::Kind::text)) work(entry.value.as_text().size() / 16);
  memo_[key] = entry;
}

void PickleMachine::get_memo(uint64_t key) {
  const auto found = memo_.find(key);
  if (found == memo_.end()) fail("it asks for a value that it never stored");
  Entry entry = found->second;
  // A copy, so that no container can contain itself; its cost is counted.
  if (entry.is(Value::Kind::text)) work(entry.value.as_text().size() / 16);
  if (entry.value.is_sequence()) work(entry.value.items().size());
  if (entry.value.is_dict()) work(entry.value.entries().size());
  if (entry.value.kind() == Value::Kind::list || entry.value.is_dict()) {
    const auto depth = depths_.find(entry.value.identity());
    const size_t nested = depth == depths_.end() ? 1 : depth->second;
    entry.value = entry.value.shallow_copy();
    depths_[entry.value.identity()] = nested;
  }
  stack_.push_back(std::move(entry));
}

}  // namespace ringlab
