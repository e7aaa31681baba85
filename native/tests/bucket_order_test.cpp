// The order of DistributedDataParallel's buckets, as checkpoints hold it.
#include "sync/bucket_order.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace ringlab {
namespace {

using Buckets = std::vector<std::vector<std::string>>;

Value buckets_of(const Buckets& buckets) {
  BucketOrder order;
  order.set(buckets);
  return order.state_dict();
}

TEST(BucketOrder, ComesBackAsItWas) {
  const Buckets buckets = {{"fc.bias", "fc.weight"}, {"conv1.weight"}};
  BucketOrder order;
  order.load_state_dict(buckets_of(buckets));
  EXPECT_EQ(order.buckets(), buckets);
  EXPECT_TRUE(order.fits({"conv1.weight", "fc.weight", "fc.bias"}));
  order.load_state_dict(buckets_of({}));
  EXPECT_TRUE(order.buckets().empty());
}

TEST(BucketOrder, FitsItsParametersAlone) {
  BucketOrder order;
  EXPECT_FALSE(order.fits({"fc.bias"}));
  order.set({{"fc.bias", "fc.weight"}, {"conv1.weight"}});
  EXPECT_FALSE(order.fits({"fc.bias", "fc.weight"}));
  EXPECT_FALSE(order.fits({"fc.bias", "fc.weight", "conv2.weight"}));
  EXPECT_FALSE(order.fits({"fc.bias", "fc.weight", "conv1.weight", "conv2.weight"}));
}

TEST(BucketOrder, RefusesWhatIsNoListOfBuckets) {
  const auto refused = [](const Value& state) {
    BucketOrder order;
    order.set({{"kept"}});
    EXPECT_THROW(order.load_state_dict(state), std::runtime_error);
    EXPECT_EQ(order.buckets(), Buckets{{"kept"}});
  };
  const auto with = [](Value order) { return Value::dict().set("order", std::move(order)); };
  refused(Value::dict());
  refused(Value::integer(3));
  refused(with(Value::text("fc.bias")));
  refused(with(Value::list({Value::text("fc.bias")})));
  refused(with(Value::list({Value::list()})));
  refused(with(Value::list({Value::list({Value::integer(1)})})));
  refused(buckets_of({{"fc.bias"}, {"fc.weight", "fc.bias"}}));
}

}  // namespace
}  // namespace ringlab
