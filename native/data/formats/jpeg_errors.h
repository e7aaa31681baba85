// libjpeg's errors: a longjmp ends its code, and its message is kept. For the files that call libjpeg.
#pragma once

#include <cstddef>
#include <cstdio>
// jpeglib.h needs FILE and size_t before it.
#include <jpeglib.h>
// must follow jpeglib.h: its message codes
#include <jerror.h>

#include <csetjmp>

namespace ringlab {

/// Callers of libjpeg do so after `if (setjmp(errors.jump) != 0) return false;`, in a function whose objects have no
/// destructors.
struct JpegErrors {
  jpeg_error_mgr base;
  std::jmp_buf jump;
  char message[JMSG_LENGTH_MAX];

  jpeg_error_mgr* set_up() {
    jpeg_std_error(&base);
    base.error_exit = fail;
    base.emit_message = emit;
    base.output_message = [](j_common_ptr) {};  // nothing to stderr: the message is in the exception
    return &base;
  }

  /// For libjpeg's callbacks.
  [[noreturn]] static void fail_with(j_common_ptr info, const char* words) {
    auto* errors = reinterpret_cast<JpegErrors*>(info->err);
    std::snprintf(errors->message, sizeof errors->message, "%s", words);
    std::longjmp(errors->jump, 1);
  }

 private:
  [[noreturn]] static void fail(j_common_ptr info) {
    // libjpeg would use a file on the disk.
    if (info->err->msg_code == JERR_NO_BACKING_STORE) fail_with(info, "a progressive image that needs more memory than a file of its size gets");
    auto* errors = reinterpret_cast<JpegErrors*>(info->err);
    (*info->err->format_message)(info, errors->message);
    std::longjmp(errors->jump, 1);
  }

  /// Damage that libjpeg can recover from is accepted, as in Pillow. (Truncation is reported by the source.)
  static void emit(j_common_ptr info, int level) {
    if (level < 0) ++info->err->num_warnings;
  }
};

}  // namespace ringlab
