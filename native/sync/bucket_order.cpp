#include "sync/bucket_order.h"

#include <algorithm>
#include <set>
#include <stdexcept>

namespace ringlab {

Value BucketOrder::state_dict() const {
  List order;
  for (const auto& bucket : buckets_) {
    List names;
    for (const auto& name : bucket) names.push_back(Value::text(name));
    order.push_back(Value::list(std::move(names)));
  }
  return Value::dict().set("order", Value::list(std::move(order)));
}

void BucketOrder::load_state_dict(const Value& state) {
  const Value* order = state.find("order");
  if (order == nullptr || !order->is_sequence()) throw std::runtime_error("its buckets have no list 'order'");
  std::vector<std::vector<std::string>> buckets;
  std::set<std::string> seen;
  for (const Value& bucket : order->items()) {
    if (!bucket.is_sequence() || bucket.items().empty()) throw std::runtime_error("one of its buckets is not a list of names");
    auto& names = buckets.emplace_back();
    for (const Value& name : bucket.items()) {
      names.push_back(name.as_text());
      if (!seen.insert(names.back()).second) throw std::runtime_error("its buckets name '" + names.back() + "' twice");
    }
  }
  buckets_ = std::move(buckets);
}

std::vector<std::string> BucketOrder::sorted_names() const {
  std::vector<std::string> names;
  for (const auto& bucket : buckets_) names.insert(names.end(), bucket.begin(), bucket.end());
  std::sort(names.begin(), names.end());
  return names;
}

bool BucketOrder::fits(std::vector<std::string> parameters) const {
  std::sort(parameters.begin(), parameters.end());
  return sorted_names() == parameters;
}

}  // namespace ringlab
