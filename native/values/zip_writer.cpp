// Writes a zip file as PyTorch does: aligned entries, the directory, zip64 fields where sizes need them.
#include <zlib.h>

#include <cstdint>

#include "values/zip.h"

namespace ringlab {
namespace {

constexpr uint64_t kAlignment = 64;
constexpr uint64_t kLocalHeader = 30;
constexpr uint64_t kCentralHeader = 46;
constexpr uint64_t kEndRecord = 22;
constexpr uint64_t kEndRecord64 = 56;
constexpr uint64_t kEndLocator64 = 20;
constexpr uint64_t kIn64 = 0xFFFFFFFF;  ///< 'see the zip64 field'

void put(std::string& out, uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) out += static_cast<char>((value >> (8 * i)) & 0xFF);
}

/// Size of the zip64 field in a local header, which has both sizes or none.
uint64_t local_field64(const ZipEntry& entry, uint64_t limit) { return entry.size >= limit ? 4 + 16 : 0; }

/// Size of the zip64 field in the directory: values too large for the fixed fields.
uint64_t central_field64(const ZipEntry& entry, uint64_t offset, uint64_t limit) {
  const uint64_t numbers = (entry.size >= limit ? 2 : 0) + (offset >= limit ? 1 : 0);
  return numbers > 0 ? 4 + 8 * numbers : 0;
}

/// Size of an extra field ("FB", length, filler: as written by PyTorch) that aligns the contents to 64 bytes.
uint64_t padding(uint64_t offset, const ZipEntry& entry, uint64_t limit) {
  const uint64_t start = offset + kLocalHeader + entry.name.size() + local_field64(entry, limit) + 4;
  return 4 + (kAlignment - start % kAlignment) % kAlignment;
}

bool needs_end64(uint64_t directory_start, uint64_t directory_size, uint64_t limit) { return directory_start >= limit || directory_size >= limit; }

uint32_t crc_of(const ZipEntry& entry) { return static_cast<uint32_t>(crc32_z(0, static_cast<const Bytef*>(entry.data), entry.size)); }

/// The fields common to local and central headers, from 'version needed' on.
void put_common(std::string& out, const ZipEntry& entry, uint32_t crc, uint64_t extra, uint64_t limit) {
  const bool large = entry.size >= limit;
  put(out, large ? 45 : 0, 2);  // version needed; 0 as in miniz
  put(out, 1 << 11, 2);         // names are UTF-8
  put(out, 0, 2);               // stored
  put(out, 0, 2);               // time and date: none, so that equal contents give equal files
  put(out, 0x21, 2);
  put(out, crc, 4);
  put(out, large ? kIn64 : entry.size, 4);
  put(out, large ? kIn64 : entry.size, 4);
  put(out, entry.name.size(), 2);
  put(out, extra, 2);
}

std::string local_header(const ZipEntry& entry, uint64_t offset, uint32_t crc, uint64_t limit) {
  const uint64_t field64 = local_field64(entry, limit);
  const uint64_t filler = padding(offset, entry, limit);
  std::string header = "PK\x03\x04";
  put_common(header, entry, crc, field64 + filler, limit);
  header += entry.name;
  if (field64 > 0) {
    put(header, 1, 2);
    put(header, field64 - 4, 2);
    put(header, entry.size, 8);
    put(header, entry.size, 8);
  }
  header += "FB";
  put(header, filler - 4, 2);
  header.append(filler - 4, 'Z');
  return header;
}

void put_central_header(std::string& directory, const ZipEntry& entry, uint64_t offset, uint32_t crc, uint64_t limit) {
  const uint64_t field64 = central_field64(entry, offset, limit);
  directory += "PK\x01\x02";
  put(directory, 0, 2);  // version made by
  put_common(directory, entry, crc, field64, limit);
  put(directory, 0, 6);  // comment length, disk, internal attributes
  put(directory, 0, 4);  // external attributes
  put(directory, offset >= limit ? kIn64 : offset, 4);
  directory += entry.name;
  if (field64 == 0) return;
  put(directory, 1, 2);
  put(directory, field64 - 4, 2);
  if (entry.size >= limit) {
    put(directory, entry.size, 8);
    put(directory, entry.size, 8);
  }
  if (offset >= limit) put(directory, offset, 8);
}

std::string end_records(uint64_t start, uint64_t length, uint64_t count, uint64_t limit) {
  std::string out;
  const bool large = needs_end64(start, length, limit);
  if (large) {
    out += "PK\x06\x06";
    put(out, kEndRecord64 - 12, 8);
    put(out, 45, 2);  // version made by, version needed
    put(out, 45, 2);
    put(out, 0, 8);  // disks
    put(out, count, 8);
    put(out, count, 8);
    put(out, length, 8);
    put(out, start, 8);
    out += "PK\x06\x07";
    put(out, 0, 4);
    put(out, start + length, 8);
    put(out, 1, 4);
  }
  out += "PK\x05\x06";
  put(out, 0, 4);
  put(out, count, 2);
  put(out, count, 2);
  put(out, large ? kIn64 : length, 4);
  put(out, large ? kIn64 : start, 4);
  put(out, 0, 2);
  return out;
}

}  // namespace

uint64_t zip_size(const std::vector<ZipEntry>& entries, uint64_t limit) {
  uint64_t offset = 0;
  uint64_t directory = 0;
  for (const auto& entry : entries) {
    directory += kCentralHeader + entry.name.size() + central_field64(entry, offset, limit);
    offset += kLocalHeader + entry.name.size() + local_field64(entry, limit) + padding(offset, entry, limit) + entry.size;
  }
  return offset + directory + kEndRecord + (needs_end64(offset, directory, limit) ? kEndRecord64 + kEndLocator64 : 0);
}

void write_zip(AtomicFile& file, const std::vector<ZipEntry>& entries, uint64_t limit) {
  if (entries.size() >= UINT16_MAX) throw ZipError("a checkpoint of more than 65,534 tensors");
  std::string directory;
  for (const auto& entry : entries) {
    const uint64_t offset = file.written();
    const uint32_t crc = crc_of(entry);
    const std::string header = local_header(entry, offset, crc, limit);
    file.write(header.data(), header.size());
    file.write(entry.data, entry.size);
    put_central_header(directory, entry, offset, crc, limit);
  }
  const uint64_t start = file.written();
  const std::string end = end_records(start, directory.size(), entries.size(), limit);
  file.write(directory.data(), directory.size());
  file.write(end.data(), end.size());
}

}  // namespace ringlab
