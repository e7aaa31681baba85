/**
 * `labs/.revisions.json`: maps a lab's content to its revision, so that a window left open during a restart of the
 * app can still save where nobody else did. A file changed from outside has other content, and therefore the next
 * revision.
 */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { createSerialQueue } from '../base/serial-queue.ts';
import { replaceFile } from '../store/index.ts';

/**
 * The highest revision of all deleted labs; no lab has this id. A lab that gets a deleted one's id goes on from there: a window
 * that missed the deletion would otherwise overwrite it.
 */
const deleted = '.deleted';

const Stored = z.record(z.string(), z.object({ revision: z.number().int().nonnegative(), hash: z.string() }));

type Known = Map<string, { revision: number; hash: string }>;

const hashOf = (text: string): string => createHash('sha256').update(text).digest('base64url');

const nextOf = (known: Known, labId: string): number =>
  (known.get(labId) ?? known.get(deleted) ?? { revision: 0 }).revision + 1;

export class Revisions {
  readonly #path: string;
  #known: Known | undefined;
  readonly #inTurn = createSerialQueue();

  constructor(folder: string) {
    this.#path = join(folder, '.revisions.json');
  }

  async #load(): Promise<Known> {
    if (this.#known === undefined) {
      const stored = await readFile(this.#path, 'utf8')
        .then((text) => Stored.parse(JSON.parse(text)))
        .catch((error: unknown) => {
          if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return {};
          // Damaged: revisions start above those of open windows, which then have to load their labs again.
          return { [deleted]: { revision: Math.ceil(Date.now() / 1000), hash: '' } };
        });
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
    const revision = nextOf(known, labId);
    known.set(labId, { revision, hash });
    // Else the next content from outside would get the same revision after a restart, and a window would overwrite it.
    await this.#save(known);
    return revision;
  }

  /** After `text` was written: one more. */
  async advance(labId: string, text: string): Promise<number> {
    const known = await this.#load();
    const revision = nextOf(known, labId);
    known.set(labId, { revision, hash: hashOf(text) });
    await this.#save(known);
    return revision;
  }

  /** The lab was deleted. Returns the revision of the deletion. */
  async forget(labId: string): Promise<number> {
    const known = await this.#load();
    const revision = nextOf(known, labId);
    known.delete(labId);
    known.set(deleted, { revision: Math.max(revision, known.get(deleted)?.revision ?? 0), hash: '' });
    await this.#save(known);
    return revision;
  }

  #save(known: Known): Promise<void> {
    // The labs themselves are written; a lost revision only makes an open window load again.
    return this.#inTurn(() =>
      replaceFile(this.#path, `${JSON.stringify(Object.fromEntries(known))}\n`),
    ).catch(() => undefined);
  }
}
