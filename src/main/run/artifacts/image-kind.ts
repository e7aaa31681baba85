/** Whether a file is an image that the trainer reads, by its signature. */
export function isImage(bytes: Uint8Array): boolean {
  const first = Buffer.from(bytes.subarray(0, 12)).toString('latin1');
  return /^(?:\xff\xd8\xff|\x89PNG|RIFF[^]{4}WEBP|II[*+]\0|MM\0\*|BM|P[1-6]\s)/.test(first);
}
