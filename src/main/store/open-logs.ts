/** Cache of open sources: each is opened once; where they hold too much memory, the least recently used is closed. */
import type { Source } from '../../shared/metrics/metrics.ts';

/** So many stay open whatever they hold. */
const keptOpen = 256;
/**
 * Numbers that more of them may hold: half a gigabyte, of a run of a thousand ranks. A number of logs alone would be no limit
 * for runs with more sources: the lines of each come in turn, so that none of them would be found open.
 */
const maxHeld = 64 * 1024 * 1024;
/** As much as a log takes without lines, in numbers. */
const heldEmpty = 2048;

/** What is known of an open source here. */
interface Log {
  /** Numbers in memory. */
  readonly held: number;
  write(): void;
}

interface Entry<L extends Log> {
  readonly opening: Promise<L>;
  log?: L;
  held: number;
}

const nameOf = (runId: string, source: Source): string => `${runId}/${source}`;

export class OpenLogs<L extends Log> {
  readonly #open: (runId: string, source: Source) => Promise<L>;
  readonly #logs = new Map<string, Entry<L>>();
  #held = 0;

  constructor(open: (runId: string, source: Source) => Promise<L>) {
    this.#open = open;
  }

  get(runId: string, source: Source): Promise<L> {
    const name = nameOf(runId, source);
    const entry = this.#logs.get(name) ?? this.#add(name, this.#open(runId, source));
    // Removed and inserted again, so that the first in the map is the least recently used.
    this.#logs.delete(name);
    this.#logs.set(name, entry);
    this.#measure(entry);
    this.#makeRoom();
    return entry.opening;
  }

  #add(name: string, opening: Promise<L>): Entry<L> {
    const entry: Entry<L> = { opening, held: 0 };
    this.#logs.set(name, entry);
    const isOpen = (): boolean => this.#logs.get(name) === entry;
    opening.then(
      (log) => {
        entry.log = log;
        if (isOpen()) this.#measure(entry);
      },
      () => {
        if (isOpen()) this.#remove(name);
      },
    );
    return entry;
  }

  #measure(entry: Entry<L>): void {
    const held = heldEmpty + (entry.log?.held ?? 0);
    this.#held += held - entry.held;
    entry.held = held;
  }

  #remove(name: string): void {
    this.#held -= this.#logs.get(name)?.held ?? 0;
    this.#logs.delete(name);
  }

  #makeRoom(): void {
    for (const [name, { opening }] of this.#logs) {
      if (this.#logs.size <= keptOpen || this.#held <= maxHeld) return;
      this.#remove(name);
      opening
        .then((log) => log.write())
        .catch(() => {
          // Not written, but not lost: the raw file is read again when the source is next opened.
        });
    }
  }

  /** Drops a source, or all of a run, without writing it. */
  drop(runId: string, source?: Source): void {
    for (const name of [...this.#logs.keys()]) {
      if (source === undefined ? name.startsWith(`${runId}/`) : name === nameOf(runId, source))
        this.#remove(name);
    }
  }

  clear(): void {
    this.#logs.clear();
    this.#held = 0;
  }

  /** Writes everything to the index, as far as possible, and closes all. */
  async close(): Promise<void> {
    for (const { opening } of [...this.#logs.values()]) {
      try {
        (await opening).write();
      } catch {
        // Everything is in the raw files, which the next start reads.
      }
    }
    this.clear();
  }
}
