#include <zlib.h>

#include "checkpoint/atomic_file.h"
#include "checkpoint/zip.h"

namespace ringlab {
namespace {

constexpr uint64_t kAlignment = 64;
constexpr uint64_t kLocalHeader = 30;
constexpr uint64_t kCentralHeader = 46;
constexpr uint64_t kEndRecord = 22;

void put(std::string& out, uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) out += static_cast<char>((value >> (8 * i)) & 0xFF);
}

/// Bytes of an extra field ("FB", length, filler: as PyTorch writes it) that bring the contents to a multiple of 64.
uint64_t padding(uint64_t offset, const std::string& name) {
  const uint64_t start = offset + kLocalHeader + name.size() + 4;
  return 4 + (kAlignment - start % kAlignment) % kAlignment;
}

uint32_t crc_of(const ZipEntry& entry) {
  return static_cast<uint32_t>(crc32_z(0, static_cast<const Bytef*>(entry.data), entry.size));
}

/// The fields that local and central headers share, from 'version needed' on.
void put_common(std::string& out, const ZipEntry& entry, uint32_t crc, uint64_t extra) {
  put(out, 0, 2);       // version needed, as miniz writes it
  put(out, 1 << 11, 2); // names are UTF-8
  put(out, 0, 2);       // stored
  put(out, 0, 2);       // time and date: none, so that equal contents are equal files
  put(out, 0x21, 2);
  put(out, crc, 4);
  put(out, entry.size, 4);
  put(out, entry.size, 4);
  put(out, entry.name.size(), 2);
  put(out, extra, 2);
}

}  // namespace

uint64_t zip_size(const std::vector<ZipEntry>& entries) {
  uint64_t offset = 0;
  uint64_t directory = 0;
  for (const auto& entry : entries) {
    offset += kLocalHeader + entry.name.size() + padding(offset, entry.name) + entry.size;
    directory += kCentralHeader + entry.name.size();
  }
  return offset + directory + kEndRecord;
}

void write_zip(const std::string& path, const std::vector<ZipEntry>& entries) {
  const uint64_t total = zip_size(entries);
  if (total >= UINT32_MAX || entries.size() >= UINT16_MAX) throw ZipError(path + ": a checkpoint of more than 4 GiB");
  AtomicFile file(path, total);
  std::string directory;
  for (const auto& entry : entries) {
    const uint64_t offset = file.written();
    const uint64_t extra = padding(offset, entry.name);
    const uint32_t crc = crc_of(entry);
    std::string header = "PK\x03\x04";
    put_common(header, entry, crc, extra);
    header += entry.name;
    header += "FB";
    put(header, extra - 4, 2);
    header.append(extra - 4, 'Z');
    file.write(header.data(), header.size());
    file.write(entry.data, entry.size);
    directory += "PK\x01\x02";
    put(directory, 0, 2);  // version made by
    put_common(directory, entry, crc, 0);
    put(directory, 0, 6);  // comment length, disk, internal attributes
    put(directory, 0, 4);  // external attributes
    put(directory, offset, 4);
    directory += entry.name;
  }
  const uint64_t start = file.written();
  const uint64_t length = directory.size();
  directory += "PK\x05\x06";
  put(directory, 0, 4);
  put(directory, entries.size(), 2);
  put(directory, entries.size(), 2);
  put(directory, length, 4);
  put(directory, start, 4);
  put(directory, 0, 2);
  file.write(directory.data(), directory.size());
  file.commit();
}

}  // namespace ringlab
