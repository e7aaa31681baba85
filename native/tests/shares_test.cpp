// How an epoch's images are cut where all ranks are there, and where fewer are.
#include "train/shares.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "train/model_form.h"

namespace ringlab {
namespace {

/// A rank of a run with batches of 20 images of 32 pixels.
struct OneRank {
  explicit OneRank(int64_t images) : data(dummy()) {
    state.share = share_of_all(images, 0, 1);
    state.first_per_rank = state.share.per_rank;
  }

  static const Options& dummy() {
    static const Options options = [] {
      Options made;
      made.dummy = true;
      made.image_size = 32;
      made.batch_size = 20;
      return made;
    }();
    return options;
  }

  Launch launch;
  TrainingData data;
  MetricsFile metrics;
  Progress progress;
  RunContext run{dummy(), launch, data, nullptr, metrics, progress, at::kCPU, {20, 1}, 1};
  RunState state;
};

TEST(Shares, AnEpochThatNoRankLeftHasPyTorchsBatches) {
  for (const int64_t images : {200, 201, 202, 209, 219}) {
    OneRank rank(images);
    const int64_t first = steps_of_epoch(rank.run, rank.state.share, {});
    Deal deal;
    even_out(rank.run, rank.state, deal);
    EXPECT_EQ(deal.evened, 0) << images;
    EXPECT_EQ(steps_of_next_epoch(rank.run, rank.state), first) << images;
  }
}

TEST(Shares, FewerRanksHaveNoSmallLastBatch) {
  OneRank rank(201);
  // Another number of images than each rank had at the start: 2 are left behind whole batches.
  rank.state.share = share_of_all(402, 0, 1);
  Deal deal;
  even_out(rank.run, rank.state, deal);
  EXPECT_EQ(deal.evened, 20);
  EXPECT_EQ(cut_of(rank.run, rank.state.share, deal).rest, (std::vector<std::vector<int64_t>>{{11}, {11}}));
}

TEST(ModelForm, NeedsTwoImagesWhereBatchNormGetsASingleValue) {
  const auto needs = [](const char* architecture, int size, bool auxiliary) {
    Options options;
    options.arch = architecture;
    options.image_size = size;
    ModelForm form;
    form.auxiliary = auxiliary;
    return needs_two_images(options, form);
  };
  EXPECT_TRUE(needs("resnet18", 64, true));
  EXPECT_FALSE(needs("resnet18", 65, true));
  EXPECT_TRUE(needs("inception_v3", 299, true));
  EXPECT_FALSE(needs("inception_v3", 299, false));
  EXPECT_FALSE(needs("inception_v3", 347, true)) << "2 x 2 values";
  EXPECT_FALSE(needs("googlenet", 224, true)) << "4 x 4 values";
}

}  // namespace
}  // namespace ringlab
