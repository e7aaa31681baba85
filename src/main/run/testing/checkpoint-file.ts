/** For tests: creates files as `torch.save` writes them, valid and inconsistent ones. */
import { crc32 } from 'node:zlib';

export interface ZipEntry {
  readonly name: string;
  readonly bytes: Buffer;
  /** A wrong value for the directory. */
  readonly saysBytes?: number;
  readonly saysOffset?: number;
}

/** A zip as torch.save writes it: stored, not compressed. */
export function zip(entries: readonly ZipEntry[], directoryBytes?: number): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let at = 0;
  for (const { name, bytes, saysBytes, saysOffset } of entries) {
    const local = Buffer.alloc(30);
    local.writeUInt32LE(0x04034b50, 0);
    local.writeUInt16LE(name.length, 26);
    const entry = Buffer.alloc(46);
    entry.writeUInt32LE(0x02014b50, 0);
    entry.writeUInt32LE(crc32(bytes), 16);
    entry.writeUInt32LE(saysBytes ?? bytes.length, 20);
    entry.writeUInt32LE(saysBytes ?? bytes.length, 24);
    entry.writeUInt16LE(name.length, 28);
    entry.writeUInt32LE(saysOffset ?? at, 42);
    directory.push(entry, Buffer.from(name));
    parts.push(local, Buffer.from(name), bytes);
    at += 30 + name.length + bytes.length;
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

/** `{'state_dict': {'a': tensor of one number}}`, with `more` opcodes that set further items of it. */
export const pickleOf = (more = ''): Buffer =>
  Buffer.from(
    `\x80\x02}(X\x0a\0\0\0state_dict}X\x01\0\0\0actorch._utils\n_rebuild_tensor_v2\n((X\x07\0\0\0storagectorch\nFloatStorage\nX\x01\0\0\x000X\x03\0\0\0cpuK\x01tQK\0(K\x01t(K\x01t\x89ccollections\nOrderedDict\n)RtRs${more}u.`,
    'latin1',
  );

/** A valid checkpoint of one number. */
export const smallCheckpoint = (pickle = pickleOf()): Buffer =>
  zip([
    { name: 'archive/data.pkl', bytes: pickle },
    { name: 'archive/data/0', bytes: Buffer.alloc(4) },
  ]);
