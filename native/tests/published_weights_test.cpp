// Published weights, recognised by name and hash.
#include "models/published_weights.h"

#include <gtest/gtest.h>

#include "base/sha256.h"
#include "tests/temporary_folder.h"

namespace ringlab {
namespace {

std::string sha256(const std::string& text) {
  Sha256 hash;
  hash.update(text.data(), text.size());
  return hexadecimal(view_of(hash.finish()));
}

/// torchvision's googlenet weights cannot be included here: a file named by its own hash replaces them.
TEST(PublishedWeights, AreToldByTheHashInTheirName) {
  const TemporaryFolder folder;
  const std::string content = "weights of a model";
  const std::string path = folder / "renamed.pth";
  write_text(path, content);
  const std::string digits = sha256(content);
  for (const size_t count : {size_t{8}, size_t{10}, size_t{64}}) {
    const std::string name = "inception_v3_google-" + digits.substr(0, count) + ".pth";
    EXPECT_TRUE(has_hash_of(path, {name})) << name;
    EXPECT_TRUE(has_hash_of(path, {"googlenet-1378be20.pth", name})) << "one of several";
  }
  std::string other = digits.substr(0, 8);
  other.back() = other.back() == '0' ? '1' : '0';
  EXPECT_FALSE(has_hash_of(path, {"googlenet-" + other + ".pth"}));
  EXPECT_FALSE(has_hash_of(path, {"googlenet-1378be20.pth"}));
  EXPECT_FALSE(has_hash_of(path, {"googlenet-.pth"})) << "no digits say nothing";
  EXPECT_FALSE(has_hash_of(path, {}));
  EXPECT_FALSE(has_hash_of(folder / "gone.pth", {"googlenet-" + digits.substr(0, 8) + ".pth"}));
  EXPECT_FALSE(has_hash_of(folder.path(), {"googlenet-" + digits.substr(0, 8) + ".pth"})) << "a folder";
}

TEST(PublishedWeights, AreToldByTheirName) {
  const TemporaryFolder folder;
  for (const char* name : {"googlenet-1378be20.pth", "inception_v3_google-0cc3c7bd.pth", "inception_v3_google-1a9a5a14.pth", "mine.pth"}) write_text(folder / name, "weights");
  EXPECT_TRUE(is_published_weights("googlenet", folder / "googlenet-1378be20.pth"));
  EXPECT_TRUE(is_published_weights("inception_v3", folder / "inception_v3_google-0cc3c7bd.pth"));
  EXPECT_TRUE(is_published_weights("inception_v3", folder / "inception_v3_google-1a9a5a14.pth")) << "an earlier one";
  EXPECT_FALSE(is_published_weights("inception_v3", folder / "googlenet-1378be20.pth")) << "another architecture's";
  EXPECT_FALSE(is_published_weights("googlenet", folder / "mine.pth"));
  EXPECT_FALSE(is_published_weights("no such model", folder / "googlenet-1378be20.pth"));
}

}  // namespace
}  // namespace ringlab
