/** `settings.json`: small named texts of the app. Not in the index, which may be deleted at any time. */
import { existsSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { RinglabError } from '../../shared/base/errors.ts';
import { createSerialQueue } from '../base/serial-queue.ts';
import { replaceFile } from './durable.ts';

const Stored = z.record(z.string(), z.string());

export class SettingsFile {
  readonly #path: string;
  readonly #values: Map<string, string>;
  readonly #inTurn = createSerialQueue();
  /** Set where the file was damaged: it was moved aside, and the defaults apply. */
  readonly repaired: RinglabError | undefined;

  constructor(dataFolder: string) {
    this.#path = join(dataFolder, 'settings.json');
    this.#values = new Map();
    if (!existsSync(this.#path)) return;
    try {
      const stored = Stored.parse(JSON.parse(readFileSync(this.#path, 'utf8')));
      this.#values = new Map(Object.entries(stored));
    } catch {
      renameSync(this.#path, `${this.#path}.damaged`);
      this.repaired = new RinglabError('settings_damaged', { path: this.#path });
    }
  }

  get(name: string): string | undefined {
    return this.#values.get(name);
  }

  set(name: string, value: string): Promise<void> {
    this.#values.set(name, value);
    return this.#inTurn(() =>
      replaceFile(this.#path, `${JSON.stringify(Object.fromEntries(this.#values), null, 2)}\n`),
    );
  }
}
