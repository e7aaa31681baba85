/** Opens `index.db`, and replaces it where it is damaged (fault 35). */
import { RinglabError } from '../../shared/base/errors.ts';
import type { Shape } from './block.ts';
import { Index, isDamage, moveAside, sqliteCode } from './database.ts';

export class IndexFile {
  readonly path: string;
  /** The last damage; undefined where there was none. */
  repaired: RinglabError | undefined;
  readonly #shape: Shape;
  #index: Index;

  /** Throws `local_disk_full` or `file_unwritable`. */
  constructor(path: string, shape: Shape) {
    this.path = path;
    this.#shape = shape;
    try {
      this.#index = Index.open(path, shape);
    } catch (error) {
      if (!isDamage(error)) throw this.translate(error);
      this.#index = this.#makeAnew(this.#damage(error));
    }
  }

  get index(): Index {
    return this.#index;
  }

  /** Moves the damaged file aside and creates an empty one. Returns what was damaged. */
  replace(error: unknown): RinglabError {
    this.#index.close();
    const repaired = this.#damage(error);
    this.#index = this.#makeAnew(repaired);
    return repaired;
  }

  /** With the database's own words. */
  #damage(error: unknown): RinglabError {
    const detail = error instanceof Error ? error.message : String(error);
    return new RinglabError('database_damaged', { path: this.path }, { detail, cause: error });
  }

  #makeAnew(repaired: RinglabError): Index {
    moveAside(this.path);
    this.repaired = repaired;
    return Index.open(this.path, this.#shape);
  }

  /** Converts SQLite's errors to ours. */
  translate(error: unknown): unknown {
    const code = sqliteCode(error);
    if (code === undefined) return error;
    const detail = error instanceof Error ? error.message : '';
    return code === 13
      ? new RinglabError('local_disk_full', { path: this.path }, { detail, cause: error })
      : new RinglabError('file_unwritable', { path: this.path, reason: detail }, { detail, cause: error });
  }

  close(): void {
    this.#index.close();
  }
}
