/** Extracts the output of one command from a stream: the bytes between `MARKER:` and `MARKER;STATUS;`. */

/** Exit status, or how the stream ended without one. */
export type FrameEnd = number | 'not started' | 'cut off';

/** Maximum length of a status. */
const longestStatus = 16;

interface Frame {
  readonly begin: Buffer;
  readonly end: Buffer;
  readonly take: (chunk: Buffer) => void;
  readonly resolve: (end: FrameEnd) => void;
  hasBegun: boolean;
}

/** How many bytes at the end of `held` may be the beginning of `marker`. */
function begunMarker(held: Buffer, marker: Buffer): number {
  for (let length = Math.min(held.length, marker.length - 1); length > 0; length -= 1)
    if (held.subarray(held.length - length).equals(marker.subarray(0, length))) return length;
  return 0;
}

export class FrameReader {
  private held: Buffer = Buffer.alloc(0);
  private current: Frame | undefined;
  private isOver = false;
  /** Bytes outside of frames since the last frame. */
  strayBytes = 0;

  /** One frame at a time. `take` gets the output as it arrives; resolves at its end, never rejects. */
  frame(marker: string, take: (chunk: Buffer) => void): Promise<FrameEnd> {
    if (this.isOver) return Promise.resolve('not started');
    this.strayBytes = 0;
    return new Promise((resolve) => {
      this.current = {
        begin: Buffer.from(`${marker}:`),
        end: Buffer.from(`${marker};`),
        take,
        resolve,
        hasBegun: false,
      };
    });
  }

  push(chunk: Buffer): void {
    const { current } = this;
    if (current === undefined) {
      this.strayBytes += chunk.length;
      return;
    }
    this.held = this.held.length === 0 ? chunk : Buffer.concat([this.held, chunk]);
    if (!current.hasBegun && !this.begin(current)) return;
    const at = this.held.indexOf(current.end);
    if (at === -1) {
      this.give(current, this.held.length - begunMarker(this.held, current.end));
      return;
    }
    this.give(current, at);
    const close = this.held.indexOf(';', current.end.length);
    if (close === -1 && this.held.length < current.end.length + longestStatus) return;
    const status = this.held.toString('latin1', current.end.length, close);
    this.finish(/^\d{1,3}$/.test(status) ? Number(status) : 'cut off');
  }

  /** The stream has ended. */
  end(): void {
    this.isOver = true;
    const { current } = this;
    if (current?.hasBegun === true) this.give(current, this.held.length);
    this.finish(current?.hasBegun === true ? 'cut off' : 'not started');
  }

  private begin(current: Frame): boolean {
    const at = this.held.indexOf(current.begin);
    if (at === -1) {
      const dropped = this.held.length - begunMarker(this.held, current.begin);
      this.strayBytes += dropped;
      this.held = this.held.subarray(dropped);
      return false;
    }
    this.held = this.held.subarray(at + current.begin.length);
    current.hasBegun = true;
    return true;
  }

  private give(current: Frame, bytes: number): void {
    if (bytes <= 0) return;
    current.take(this.held.subarray(0, bytes));
    this.held = this.held.subarray(bytes);
  }

  private finish(end: FrameEnd): void {
    this.held = Buffer.alloc(0);
    const { current } = this;
    this.current = undefined;
    current?.resolve(end);
  }
}
