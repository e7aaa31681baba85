/**
 * `labs/.revisions.json`: maps a lab's content to its revision, so that a window left open during a restart of the
 * app can still save where nobody else did. A file changed from outside has other content, and therefore the next
 * revision.
 */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { createSerialQueue } from '../base/serial-queue.ts';
import { replaceFile } from '../store/index.ts';

const Stored = z.record(z.string(), z.object({ revision: z.number().int().nonnegative(), hash: z.string() }));

const hashOf = (text: string): string => createHash('sha256').update(text).digest('base64url');

export class Revisions {
  readonly #path: string;
  #known: Map<string, { revision: number; hash: string }> | undefined;
  readonly #inTurn = createSerialQueue();

  constructor(folder: string) {
    this.#path = join(folder, '.revisions.json');
  }

  async #load(): Promise<Map<string, { revision: number; hash: string }>> {
    if (this.#known === undefined) {
      // Missing or damaged: revisions start from 1, and an open window has to load its lab again.
      const stored = await readFile(this.#path, 'utf8')
        .then((text) => Stored.parse(JSON.parse(text)))
        .catch(() => ({}));
      this.#known ??= new Map(Object.entries(stored));
    }
    return this.#known;
  }

  /** The revision of a lab whose file holds `text`. */
  async of(labId: string, text: string): Promise<number> {
    const known = await this.#load();
    const hash = hashOf(text);
    const last = known.get(labId);
    if (last?.hash === hash) return last.revision;
    const revision = (last?.revision ?? 0) + 1;
    known.set(labId, { revision, hash });
    // Else the next content from outside would get the same revision after a restart, and a window would overwrite it.
    await this.#save(known);
    return revision;
  }

  /** After `text` was written: one more. */
  async advance(labId: string, text: string): Promise<number> {
    const known = await this.#load();
    const revision = (known.get(labId)?.revision ?? 0) + 1;
    known.set(labId, { revision, hash: hashOf(text) });
    await this.#save(known);
    return revision;
  }

  /** The lab was deleted. Returns the revision of the deletion. */
  async forget(labId: string): Promise<number> {
    const known = await this.#load();
    const revision = (known.get(labId)?.revision ?? 0) + 1;
    known.delete(labId);
    await this.#save(known);
    return revision;
  }

  #save(known: Map<string, { revision: number; hash: string }>): Promise<void> {
    // The labs themselves are written; a lost revision only makes an open window load again.
    return this.#inTurn(() =>
      replaceFile(this.#path, `${JSON.stringify(Object.fromEntries(known))}\n`),
    ).catch(() => undefined);
  }
}
