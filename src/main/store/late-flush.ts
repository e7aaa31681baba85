/**
 * Brings what was appended to the disk a moment later, all files at once, without the store's thread waiting for it.
 * Nothing is lost by that: where the power goes before, a raw file is shorter, and is read on from there on the node.
 */
import { dirname } from 'node:path';
import { createSerialQueue } from '../base/serial-queue.ts';
import { diskError, syncFolder, systemCode, type Disk } from './durable.ts';

/** What a power cut may take back: half a second of lines, which the nodes still have. */
const waitMs = 500;

export class LateFlush {
  readonly #disk: Disk;
  /** Written since their last flush began. */
  readonly #waiting = new Set<string>();
  /** Being flushed. */
  #under: readonly string[] = [];
  /** Folders with a new name in them. */
  readonly #folders = new Set<string>();
  /** What the last flush of a file failed with, until it is reported. */
  readonly #failed = new Map<string, unknown>();
  #timer: NodeJS.Timeout | undefined;
  readonly #inTurn = createSerialQueue();

  constructor(disk: Disk) {
    this.#disk = disk;
  }

  written(path: string, isNew: boolean): void {
    this.#waiting.add(path);
    if (isNew) this.#folders.add(dirname(path));
    this.#timer ??= setTimeout(() => void this.all(), waitMs);
  }

  /** Throws what an earlier flush of the file failed with, once; `local_disk_full` or `file_unwritable`. */
  check(path: string): void {
    const error = this.#failed.get(path);
    if (error === undefined) return;
    this.#failed.delete(path);
    // It is tried again, whether or not anything is appended.
    this.written(path, false);
    throw diskError(error, path);
  }

  /** Returns when what was written to one file is on the disk; for what must not get there before it does. */
  now(path: string): void {
    if (!this.#waiting.has(path) && !this.#under.includes(path)) return;
    try {
      this.#disk.flushNow(path);
      this.#waiting.delete(path);
    } catch (error) {
      throw diskError(error, path);
    }
  }

  /** Resolves when all that was written before the call is on the disk, or its failure noted; never rejects. */
  all(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    return this.#inTurn(async () => {
      this.#under = [...this.#waiting];
      const folders = [...this.#folders];
      this.#waiting.clear();
      this.#folders.clear();
      await Promise.all([
        ...this.#under.map((path) => this.#try(path, this.#disk.flush(path))),
        ...folders.map((path) => this.#try(path, syncFolder(path))),
      ]);
      this.#under = [];
    });
  }

  async #try(path: string, flushing: Promise<void>): Promise<void> {
    try {
      await flushing;
    } catch (error) {
      // Renamed or deleted in the meantime.
      if (systemCode(error) !== 'ENOENT') this.#failed.set(path, error);
    }
  }
}
