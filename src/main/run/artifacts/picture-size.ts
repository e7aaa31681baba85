/** The format and size that an encoded picture itself claims. Pure; nothing is decoded. */
import type { PictureFormat } from '../../../shared/run/run-media.ts';

export interface PictureSize {
  readonly format: PictureFormat;
  readonly width: number;
  readonly height: number;
}

/** Undefined where the bytes begin as none of the formats, or their size is not where it must be. */
export function pictureSize(bytes: Uint8Array): PictureSize | undefined {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const first = buffer.subarray(0, 16).toString('latin1');
  if (first.startsWith('\x89PNG\r\n\x1a\n') && first.endsWith('IHDR') && buffer.length >= 24)
    return { format: 'png', width: buffer.readUInt32BE(16), height: buffer.readUInt32BE(20) };
  if (/^GIF8[79]a/.test(first) && buffer.length >= 10)
    return { format: 'gif', width: buffer.readUInt16LE(6), height: buffer.readUInt16LE(8) };
  return first.startsWith('\xff\xd8\xff') ? jpegSize(buffer) : undefined;
}

/** Markers of a frame: C0 to CF without the tables and the restart interval among them. */
const isFrame = (marker: number): boolean =>
  marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;

function jpegSize(buffer: Buffer): PictureSize | undefined {
  for (let at = 2; at + 9 <= buffer.length;) {
    if (buffer[at] !== 0xff) return undefined;
    const marker = buffer[at + 1] ?? 0;
    if (isFrame(marker))
      return { format: 'jpeg', height: buffer.readUInt16BE(at + 5), width: buffer.readUInt16BE(at + 7) };
    // Fill bytes and markers without a length.
    if (marker === 0xff) at += 1;
    else at += 2 + buffer.readUInt16BE(at + 2);
  }
  return undefined;
}
