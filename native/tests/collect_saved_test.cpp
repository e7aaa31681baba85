// Files that a script names as its results, as the collector of its rank lists them.
#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <string>

#include "base/file_text.h"
#include "base/json.h"
#include "collect/patterns/user_patterns.h"
#include "collect/rank_collector.h"
#include "collect/rank_lines.h"
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

size_t count_of(const std::string& text, const std::string& part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) ++count;
  return count;
}

TEST(CollectSaved, FilesThatTheScriptRemovesAreGoneUntilTheyAreWrittenAgain) {
  const TemporaryFolder folder;
  const std::string lines = folder.path() + "/metrics.jsonl";
  const std::string work = folder.path() + "/work";
  std::filesystem::create_directory(work);
  const std::string gone = "\"path\":\"last.pt\",\"gone\":true";
  write_text(work + "/last.pt", "weights");
  {
    RankLines rank(lines, nullptr);
    EXPECT_TRUE(rank.file("last.pt", 7, 1));
    EXPECT_FALSE(rank.files_gone(work));
    // Nothing is said of files of a folder that cannot be read.
    EXPECT_FALSE(rank.files_gone(folder.path() + "/away"));
    EXPECT_EQ(count_of(file_text(lines), gone), 0u);
  }
  std::filesystem::remove(work + "/last.pt");
  {
    // While the collector was away: it knows from its own lines which files it listed.
    RankLines rank(lines, nullptr);
    EXPECT_TRUE(rank.files_gone(work));
    EXPECT_FALSE(rank.files_gone(work));
    write_text(work + "/last.pt", "weights");
    EXPECT_TRUE(rank.file("last.pt", 7, 1));
    EXPECT_FALSE(rank.files_gone(work));
  }
  EXPECT_EQ(count_of(file_text(lines), gone), 1u);
  EXPECT_EQ(count_of(file_text(lines), "\"path\":\"last.pt\",\"bytes\""), 2u);
}

TEST(CollectSaved, AScriptThatKeepsOneOfThousandsOfCheckpointsHasItListed) {
  const TemporaryFolder folder;
  const std::string work = folder.path() + "/work";
  std::filesystem::create_directory(work);
  RankLines rank(folder.path() + "/metrics.jsonl", nullptr);
  for (int i = 0; i < 2100; ++i) {
    rank.file(std::to_string(i) + ".ckpt", 1, i);
    rank.files_gone(work);
  }
  const std::string text = file_text(folder.path() + "/metrics.jsonl");
  EXPECT_EQ(count_of(text, "collect_problem"), 0u);
  EXPECT_EQ(count_of(text, "\"path\":\"2099.ckpt\",\"bytes\""), 1u);
}

}  // namespace
}  // namespace ringlab
