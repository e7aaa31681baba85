/** How many bytes one read of a node's files takes together: what its link carries well within the read's time-out. */

/** An answer is base64 in one string. With most links no more is faster. */
const most = 4 * 1024 * 1024;
const first = 1024 * 1024;
/** Less would be mostly the command and its answer's lines. */
const least = 16 * 1024;

export interface PassSize {
  readonly bytes: number;
  /** The answer was not complete within the time-out: the next read takes half. */
  timedOut(): void;
  /** The answer with so many bytes of files took this part of the time-out. */
  arrived(bytes: number, part: number): void;
}

export function createPassSize(): PassSize {
  let size = first;
  return {
    get bytes() {
      return size;
    },
    timedOut() {
      size = Math.max(least, size / 2);
    },
    arrived(bytes, part) {
      // Twice as much takes at most half of the time-out.
      if (bytes >= size / 2 && part < 1 / 4) size = Math.min(most, size * 2);
    },
  };
}
