/** For tests: writes zip archives, valid and inconsistent ones. */
import { crc32, deflateRawSync } from 'node:zlib';

export interface WrittenEntry {
  readonly name: string;
  readonly bytes: Buffer;
  readonly isCompressed?: boolean;
  /** A wrong value for the directory. */
  readonly saysBytes?: number;
  readonly saysStoredBytes?: number;
  readonly saysOffset?: number;
  /** External attributes of MS-DOS. */
  readonly attributes?: number;
}

const regularFile = 0o100644 * 65536;

/** @param directoryBytes a wrong size of the directory */
export function zip(entries: readonly WrittenEntry[], directoryBytes?: number): Buffer {
  const [parts, directory]: [Buffer[], Buffer[]] = [[], []];
  let at = 0;
  for (const {
    name,
    bytes,
    isCompressed = false,
    saysBytes,
    saysStoredBytes,
    saysOffset,
    attributes = 0,
  } of entries) {
    const path = Buffer.from(name);
    const stored = isCompressed ? deflateRawSync(bytes) : bytes;
    // What the local header and the directory have in common.
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0); // The version that is needed to read it.
    common.writeUInt16LE(isCompressed ? 8 : 0, 4);
    common.writeUInt16LE(0x21, 8); // 1 January 1980.
    common.writeUInt32LE(crc32(bytes), 10);
    common.writeUInt32LE(saysStoredBytes ?? (isCompressed ? stored.length : (saysBytes ?? bytes.length)), 14);
    common.writeUInt32LE(saysBytes ?? bytes.length, 18);
    common.writeUInt16LE(path.length, 22);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(regularFile + attributes, 6);
    rest.writeUInt32LE(saysOffset ?? at, 10);
    directory.push(Buffer.concat([Buffer.from([0x50, 0x4b, 1, 2, 20, 3]), common, rest, path]));
    const part = Buffer.concat([Buffer.from([0x50, 0x4b, 3, 4]), common, path, stored]);
    parts.push(part);
    at += part.length;
  }
  const whole = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(directoryBytes ?? whole.length, 12);
  end.writeUInt32LE(at, 16);
  return Buffer.concat([...parts, whole, end]);
}

/**
 * The same with a zip64 end record and its locator before the end record, which keeps its values.
 * @param directory what the zip64 record says; by default the same
 */
export function withZip64End(plain: Buffer, directory: { start?: number; length?: number } = {}): Buffer {
  const end = plain.subarray(plain.length - 22);
  const record = Buffer.alloc(56);
  record.writeUInt32LE(0x06064b50, 0);
  record.writeBigUInt64LE(44n, 4);
  record.writeBigUInt64LE(BigInt(end.readUInt16LE(8)), 24);
  record.writeBigUInt64LE(BigInt(end.readUInt16LE(10)), 32);
  record.writeBigUInt64LE(BigInt(directory.length ?? end.readUInt32LE(12)), 40);
  record.writeBigUInt64LE(BigInt(directory.start ?? end.readUInt32LE(16)), 48);
  const locator = Buffer.alloc(20);
  locator.writeUInt32LE(0x07064b50, 0);
  locator.writeBigUInt64LE(BigInt(plain.length - 22), 8);
  locator.writeUInt32LE(1, 16);
  return Buffer.concat([plain.subarray(0, -22), record, locator, end]);
}
