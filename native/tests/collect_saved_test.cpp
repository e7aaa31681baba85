// Files that a script names as its results, as the collector of its rank lists them.
#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <string>

#include "base/file_text.h"
#include "base/json.h"
#include "collect/patterns/user_patterns.h"
#include "collect/rank_collector.h"
#include "tests/temporary_folder.h"

namespace ringlab {
namespace {

/// What metrics.jsonl says where the collector knows the working folder as `work`, and the script names `saved`.
std::string collected(const std::string& rank_folder, const std::string& work, const std::string& saved) {
  write_text(rank_folder + "/ringlab.jsonl", "{\"t\":1,\"save\":" + json_string(saved) + "}\n");
  RankCollector(RankFolders{0, rank_folder, work}, 1, std::make_shared<UserPatterns>(), CollectLimits{}).read(1, true);
  return file_text(rank_folder + "/metrics.jsonl");
}

TEST(CollectSaved, BelowAWorkingFolderThatIsReachedThroughALink) {
  const TemporaryFolder folder;
  const std::string root = std::filesystem::canonical(folder.path());
  write_text(root + "/gpfs/code/out/result.json", "{}");
  write_text(root + "/gpfs/other.json", "{}");
  std::filesystem::create_directory_symlink(root + "/gpfs", root + "/home");
  const std::string listed = "\"path\":\"out/result.json\"";
  EXPECT_NE(collected(root + "/a", root + "/home/code", root + "/gpfs/code/out/result.json").find(listed), std::string::npos);
  EXPECT_NE(collected(root + "/b", root + "/gpfs/code", root + "/home/code/out/result.json").find(listed), std::string::npos);
  EXPECT_NE(collected(root + "/c", root + "/home/code", root + "/home/code/out/result.json").find(listed), std::string::npos);
  EXPECT_NE(collected(root + "/d", root + "/home/code", root + "/gpfs/other.json").find("a saved file is not below the working folder"), std::string::npos);
  EXPECT_NE(collected(root + "/e", root + "/home/code", root + "/gpfs/none/result.json").find("a saved file is not below the working folder"), std::string::npos);
}

}  // namespace
}  // namespace ringlab
