// Writes the generated images as an ImageFolder, atomically.
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <sstream>
#include <system_error>

#include "base/arguments.h"
#include "base/error.h"
#include "base/file_text.h"
#include "base/stop_signal.h"
#include "base/suggest.h"
#include "data/writing/shapes.h"

namespace ringlab {
namespace {

namespace fs = std::filesystem;
constexpr const char* kMarker = ".ringlab-shapes";

int classes_of(const ShapesSettings& settings) { return settings.classes > 0 ? settings.classes : static_cast<int>(shape_names(settings.task).size()); }

std::string description(const ShapesSettings& s) {
  std::ostringstream text;
  text << "shapes 1\ntrain " << s.train << "\nval " << s.val << "\nsize " << s.size << "\nclasses " << classes_of(s) << "\nseed " << s.seed << "\n";
  if (s.task != ShapeTask::easy) text << shape_task_names()[static_cast<size_t>(s.task)] << "\n";
  return text.str();
}

std::string marker_text(const fs::path& dir) { return file_text(dir / kMarker); }

[[noreturn]] void write_failed(const std::string& path, int error) {
  const bool full = error == ENOSPC || error == EDQUOT;
  throw std::move(Failure(full ? ErrorCode::disk_full : ErrorCode::bad_data, path + ": " + std::strerror(error),
                          full ? "free some space and start again" : "check that the folder can be written")
                      .at_path(path));
}

void write_image(const fs::path& path, const std::vector<uint8_t>& bytes) {
  std::FILE* file = std::fopen(path.c_str(), "wbe");
  if (file == nullptr) write_failed(path.string(), errno);
  const bool written = std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size();
  const int error = errno;
  const bool closed = std::fclose(file) == 0;
  if (!written || !closed) write_failed(path.string(), written ? errno : error);
}

void write_split(const ShapesSettings& settings, const fs::path& root, const char* split, int count, uint64_t part) {
  const auto& names = shape_names(settings.task);
  const int classes = classes_of(settings);
  for (int label = 0; label < classes; ++label) fs::create_directories(root / split / names[static_cast<size_t>(label)]);
  for (int i = 0; i < count; ++i) {
    if (stop_requested()) throw Stopped();
    const int label = i % classes;
    Stream random({settings.seed, part, static_cast<uint64_t>(i)});
    char name[24];
    std::snprintf(name, sizeof name, "%06d.jpg", i);
    write_image(root / split / names[static_cast<size_t>(label)] / name, encode_jpeg(draw_shape(settings.task, label, settings.size, random), 92));
  }
}

ArgumentRow task_row(ShapeTask& into) {
  return {"--task", true, [&into](const std::string& given, const std::string& value) {
            const auto& names = shape_task_names();
            const auto found = std::find(names.begin(), names.end(), value);
            if (found == names.end()) throw Failure(ErrorCode::usage, given + ": valid: " + join(names));
            into = static_cast<ShapeTask>(found - names.begin());
          }};
}

}  // namespace

bool make_shapes(const ShapesSettings& settings) {
  const fs::path dir = fs::path(settings.dir).lexically_normal();
  if (marker_text(dir) == description(settings)) return false;
  try {
    if (fs::exists(dir) && !(fs::is_directory(dir) && fs::is_empty(dir))) {
      const bool ours = fs::exists(dir / kMarker);
      throw std::move(Failure(ErrorCode::bad_data, dir.string() + ": " + (ours ? "holds shapes of other settings" : "is not empty"),
                              "choose another folder, or remove this one")
                          .at_path(dir.string()));
    }
    std::string plain = dir.string();
    while (plain.size() > 1 && plain.back() == '/') plain.pop_back();
    const fs::path temporary = plain + ".making-" + std::to_string(getpid());
    try {
      fs::remove_all(temporary);
      write_split(settings, temporary, "train", settings.train, 1);
      write_split(settings, temporary, "val", settings.val, 2);
      const std::string text = description(settings);
      write_image(temporary / kMarker, {text.begin(), text.end()});
      if (fs::exists(dir)) fs::remove(dir);  // an empty folder
      fs::rename(temporary, plain);
    } catch (...) {
      std::error_code ignored;
      fs::remove_all(temporary, ignored);
      // Another process may have created the same folder in the meantime: it is used.
      if (marker_text(dir) == description(settings)) return false;
      throw;
    }
  } catch (const fs::filesystem_error& error) {
    write_failed(error.path1().string(), error.code().value());
  }
  return true;
}

int make_shapes_command(const std::vector<std::string>& arguments) {
  ShapesSettings settings;
  constexpr int kMaxImages = 10'000'000;
  parse_arguments("make-shapes", arguments,
                  {number_row("--train", settings.train, 1, kMaxImages), number_row("--val", settings.val, 1, kMaxImages), number_row("--size", settings.size, 8, 1024),
                   number_row("--classes", settings.classes, 2, static_cast<int>(shape_names(ShapeTask::classes100).size())), number_row("--seed", settings.seed, 0, INT64_MAX),
                   task_row(settings.task)},
                  [&](const std::string& folder) {
                    if (!settings.dir.empty()) throw Failure(ErrorCode::usage, "make-shapes: " + folder + ": one folder only");
                    settings.dir = folder;
                  });
  if (settings.dir.empty()) throw Failure(ErrorCode::usage, "make-shapes: DIR is missing");
  const int classes = classes_of(settings);
  const auto max_classes = static_cast<int>(shape_names(settings.task).size());
  if (classes > max_classes) throw Failure(ErrorCode::usage, "make-shapes: --classes " + std::to_string(classes) + ": this task has " + std::to_string(max_classes));
  if (settings.train < classes || settings.val < classes) {
    throw Failure(ErrorCode::usage, "make-shapes: --train and --val must be at least --classes (" + std::to_string(classes) + ")");
  }
  if (make_shapes(settings)) {
    std::printf("made %d training and %d validation images of %d classes in %s\n", settings.train, settings.val, classes, settings.dir.c_str());
  } else {
    std::printf("%s is there already, nothing to do\n", settings.dir.c_str());
  }
  return 0;
}

}  // namespace ringlab
