/**
 * Flushes appended bytes a moment later, all files together, without blocking the store's thread. Nothing is lost by
 * a power cut before: a raw file is then shorter, and is read again from the node.
 */
import { dirname } from 'node:path';
import { createSerialQueue } from '../base/serial-queue.ts';
import { diskError, syncFolder, systemCode, type Disk } from './durable.ts';

/** A power cut may lose half a second of lines, which the nodes still have. */
const waitMs = 500;

export class LateFlush {
  readonly #disk: Disk;
  /** Files written since their last flush began. */
  readonly #waiting = new Set<string>();
  /** Files being flushed. */
  #under: readonly string[] = [];
  /** Folders with new entries. */
  readonly #folders = new Set<string>();
  /** The error of a file's last flush, until it is reported. */
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

  /** Throws the error of an earlier flush of the file, once; `local_disk_full` or `file_unwritable`. */
  check(path: string): void {
    const error = this.#failed.get(path);
    if (error === undefined) return;
    this.#failed.delete(path);
    // Retried even if nothing more is appended.
    this.written(path, false);
    throw diskError(error, path);
  }

  /** Flushes one file synchronously, for data that must not be written before it. */
  now(path: string): void {
    if (!this.#waiting.has(path) && !this.#under.includes(path)) return;
    try {
      this.#disk.flushNow(path);
      this.#waiting.delete(path);
    } catch (error) {
      throw diskError(error, path);
    }
  }

  /** Resolves when everything written before the call is flushed, or its error recorded; never rejects. */
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
      // Renamed or deleted meanwhile.
      if (systemCode(error) !== 'ENOENT') this.#failed.set(path, error);
    }
  }
}
