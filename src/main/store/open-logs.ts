/** Cache of open sources: each is opened once; the least recently used is closed. */
import type { Source } from '../../shared/metrics/metrics.ts';
import type { SourceLog } from './source.ts';

const maxOpen = 256;

const nameOf = (runId: string, source: Source): string => `${runId}/${source}`;

export class OpenLogs {
  readonly #open: (runId: string, source: Source) => Promise<SourceLog>;
  readonly #logs = new Map<string, Promise<SourceLog>>();

  constructor(open: (runId: string, source: Source) => Promise<SourceLog>) {
    this.#open = open;
  }

  get(runId: string, source: Source): Promise<SourceLog> {
    const name = nameOf(runId, source);
    const log = this.#logs.get(name) ?? this.#open(runId, source);
    // Removed and inserted again, so that the first in the map is the least recently used.
    this.#logs.delete(name);
    this.#logs.set(name, log);
    log.catch(() => {
      if (this.#logs.get(name) === log) this.#logs.delete(name);
    });
    const oldest = this.#logs.entries().next();
    if (this.#logs.size > maxOpen && oldest.done === false) this.#letGo(...oldest.value);
    return log;
  }

  #letGo(name: string, opening: Promise<SourceLog>): void {
    this.#logs.delete(name);
    opening
      .then((log) => log.write())
      .catch(() => {
        // Not written, but not lost: the raw file is read again when the source is next opened.
      });
  }

  /** Drops a source, or all of a run, without writing it. */
  drop(runId: string, source?: Source): void {
    for (const name of this.#logs.keys()) {
      if (source === undefined ? name.startsWith(`${runId}/`) : name === nameOf(runId, source))
        this.#logs.delete(name);
    }
  }

  clear(): void {
    this.#logs.clear();
  }

  /** Writes everything to the index, as far as possible, and closes all. */
  async close(): Promise<void> {
    for (const opening of [...this.#logs.values()]) {
      try {
        (await opening).write();
      } catch {
        // Everything is in the raw files, which the next start reads.
      }
    }
    this.#logs.clear();
  }
}
