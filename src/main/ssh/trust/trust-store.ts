/** Stores the host keys that the user accepted in this app: `known-hosts.json` in the data folder. */
import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import * as z from 'zod';
import { createSerialQueue } from '../../base/serial-queue.ts';
import { RinglabError } from '../../../shared/base/errors.ts';
import { phrase } from '../../i18n/index.ts';

const TrustedHost = z.object({
  /** As in known_hosts, `host` or `[host]:port`; behind jump hosts followed by ` via user@host:port,…`. */
  host: z.string().min(1).max(300),
  keyType: z.string().max(100),
  /** Base64 of the public key. */
  key: z.string().max(20_000),
  /** Unix seconds. */
  addedAt: z.number(),
});
type TrustedHost = z.infer<typeof TrustedHost>;

/** Weak algorithms that the user allowed for a host. */
const AllowedWeak = z.object({
  host: z.string().min(1).max(300),
  algorithms: z.array(z.string().max(100)).max(20),
  /** Unix seconds. */
  addedAt: z.number(),
});
type AllowedWeak = z.infer<typeof AllowedWeak>;

const TrustFile = z.object({
  version: z.literal(1),
  hosts: z.array(TrustedHost).max(100_000),
  weak: z.array(AllowedWeak).max(100_000).default([]),
});
type TrustFile = z.infer<typeof TrustFile>;

export interface TrustStore {
  readonly path: string;
  list(): Promise<TrustedHost[]>;
  /** Stores a key; a host may have several, one of each type. */
  add(entry: TrustedHost): Promise<void>;
  listWeak(): Promise<AllowedWeak[]>;
  /** Adds to the allowed algorithms of the host. */
  allowWeak(entry: AllowedWeak): Promise<void>;
  /** Removes all keys and permissions of a host; its next connection asks again. True where there were any. */
  forget(host: string): Promise<boolean>;
}

/** Throws `known_hosts_unreadable` where the file is damaged, `file_unwritable` where it cannot be written. */
export function createTrustStore(path: string): TrustStore {
  /** Serialises changes: two first connections may be accepted at once. */
  const inTurn = createSerialQueue();

  const read = async (): Promise<TrustFile> => {
    let text: string;
    try {
      text = await readFile(path, 'utf8');
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT')
        return { version: 1, hosts: [], weak: [] };
      const reason = error instanceof Error ? error.message : String(error);
      throw new RinglabError('known_hosts_unreadable', { path, line: 0, reason }, { cause: error });
    }
    try {
      return TrustFile.parse(JSON.parse(text));
    } catch (error) {
      const reason = phrase('reasons.noTrustStore');
      const detail = error instanceof Error ? error.message.slice(0, 500) : undefined;
      throw new RinglabError('known_hosts_unreadable', { path, line: 1, reason }, { detail, cause: error });
    }
  };

  const write = async (file: TrustFile): Promise<void> => {
    const temporary = `${path}.${randomUUID()}.tmp`;
    try {
      await mkdir(dirname(path), { recursive: true });
      await writeFile(temporary, `${JSON.stringify(file, null, 2)}\n`, { mode: 0o600, flush: true });
      await rename(temporary, path);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new RinglabError('file_unwritable', { path, reason }, { cause: error });
    }
  };

  return {
    path,
    list: async () => (await read()).hosts,
    listWeak: async () => (await read()).weak,
    add: (entry) =>
      inTurn(async () => {
        const file = await read();
        const others = file.hosts.filter(
          (known) => known.host !== entry.host || known.keyType !== entry.keyType,
        );
        await write({ ...file, hosts: [...others, entry] });
      }),
    allowWeak: (entry) =>
      inTurn(async () => {
        const file = await read();
        const before = file.weak.filter(({ host }) => host === entry.host);
        const algorithms = [...new Set([...before.flatMap((one) => one.algorithms), ...entry.algorithms])];
        const others = file.weak.filter(({ host }) => host !== entry.host);
        await write({ ...file, weak: [...others, { ...entry, algorithms }] });
      }),
    forget: (host) =>
      inTurn(async () => {
        const file = await read();
        const name = host.toLowerCase();
        const hosts = file.hosts.filter((known) => known.host !== name);
        const weak = file.weak.filter((allowed) => allowed.host !== name);
        if (hosts.length === file.hosts.length && weak.length === file.weak.length) return false;
        await write({ ...file, hosts, weak });
        return true;
      }),
  };
}
