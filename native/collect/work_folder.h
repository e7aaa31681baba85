// Finds files that scripts write somewhere below their working folder: event files, W&B's, checkpoints.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace ringlab {

enum class FileKind { events, wandb, checkpoint, output };

struct SeenFile {
  std::string path;  ///< from the folder on; of an output, also absolute
  FileKind kind = FileKind::checkpoint;
  uint64_t bytes = 0;
  double modified = 0;  ///< Unix seconds
  uint64_t inode = 0;
  bool settled = false;  ///< the same as a look before
};

/// The same moment by the machine's clock and as lines are dated.
struct RunBegin {
  double wall = 0;
  double line = 0;
};

/// Polls: works on network file systems, needs no watches. A folder is only read again when its time of change has moved. Hidden folders, virtual
/// environments and links are left out; at most 4,000 folders, 12 levels deep.
class WorkFolder {
 public:
  /// Files that were last changed before the run began are older than it: not reported. After a clock was set back they look older, too: then they are reported as they
  /// change or appear.
  WorkFolder(std::string root, RunBegin began) : root_(std::move(root)), began_(began) {}

  /// The files that are new or have another size or time than at the look before; those of upper folders first.
  std::vector<SeenFile> look();
  const std::string& root() const { return root_; }
  bool is_crowded() const { return crowded_; }

 private:
  struct Folder {
    double modified = -1;
    double next = 0;  ///< steady seconds: folders that take long to read are read less often
    int depth = 0;
  };
  void read_folder(const std::string& path, Folder& folder, std::vector<std::string>& added);

  std::string root_;
  RunBegin began_;
  double set_back_ = 0;  ///< seconds, the most that was seen
  bool looked_ = false;
  bool crowded_ = false;
  std::map<std::string, Folder> folders_;
  std::map<std::string, SeenFile> files_;
};

}  // namespace ringlab
