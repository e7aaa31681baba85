/** Host keys that the person accepted in this app: `known-hosts.json` in the data folder. */
import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { z } from 'zod';
import { RinglabError } from '../../shared/errors.ts';

const TrustedHost = z.object({
  /** As known_hosts names it: `host` or `[host]:port`. */
  host: z.string().min(1).max(300),
  keyType: z.string().max(100),
  /** Base64 of the public key. */
  key: z.string().max(20_000),
  /** Unix seconds. */
  addedAt: z.number(),
});
export type TrustedHost = z.infer<typeof TrustedHost>;

const TrustFile = z.object({ version: z.literal(1), hosts: z.array(TrustedHost).max(100_000) });

export interface TrustStore {
  readonly path: string;
  list(): Promise<TrustedHost[]>;
  /** Keeps a key; a host may have several, one of each type. */
  add(entry: TrustedHost): Promise<void>;
  /** Forgets every key of a host; its next connection asks again. True where there was one. */
  forget(host: string): Promise<boolean>;
}

/** Throws `known_hosts_unreadable` where the file is damaged, `file_unwritable` where it cannot be kept. */
export function createTrustStore(path: string): TrustStore {
  let last: Promise<unknown> = Promise.resolve();
  /** One change at a time: two first connections may be accepted at once. */
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const next = last.then(work, work);
    last = next.catch(() => undefined);
    return next;
  };

  const read = async (): Promise<TrustedHost[]> => {
    let text: string;
    try {
      text = await readFile(path, 'utf8');
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
      const reason = error instanceof Error ? error.message : String(error);
      throw new RinglabError('known_hosts_unreadable', { path, line: 0, reason }, { cause: error });
    }
    try {
      return TrustFile.parse(JSON.parse(text)).hosts;
    } catch (error) {
      const reason = 'it is not a trust store of this app';
      const detail = error instanceof Error ? error.message.slice(0, 500) : undefined;
      throw new RinglabError('known_hosts_unreadable', { path, line: 1, reason }, { detail, cause: error });
    }
  };

  const write = async (hosts: TrustedHost[]): Promise<void> => {
    const temporary = `${path}.${randomUUID()}.tmp`;
    try {
      await mkdir(dirname(path), { recursive: true });
      const file: z.infer<typeof TrustFile> = { version: 1, hosts };
      await writeFile(temporary, `${JSON.stringify(file, null, 2)}\n`, { mode: 0o600, flush: true });
      await rename(temporary, path);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new RinglabError('file_unwritable', { path, reason }, { cause: error });
    }
  };

  return {
    path,
    list: read,
    add: (entry) =>
      inTurn(async () => {
        const others = (await read()).filter(
          (known) => known.host !== entry.host || known.keyType !== entry.keyType,
        );
        await write([...others, entry]);
      }),
    forget: (host) =>
      inTurn(async () => {
        const hosts = await read();
        const others = hosts.filter((known) => known.host !== host.toLowerCase());
        if (others.length === hosts.length) return false;
        await write(others);
        return true;
      }),
  };
}
