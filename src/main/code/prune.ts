/**
 * Removes kept code that no run names any more, and repositories that were not fetched from for long, by age and by total size; says how
 * much is kept.
 */
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

export interface PruneLimits {
  /** Code that no run names is removed when it has not been taken for so long. */
  readonly maxAgeMs: number;
  /** And the oldest of it while all kept code together is larger. */
  readonly maxBytes: number;
}
const pruneLimits: PruneLimits = { maxAgeMs: 30 * 86_400_000, maxBytes: 2 * 1024 ** 3 };
/** What may be in the making is left alone for so long. */
const graceMs = 86_400_000;

export interface KeptSize {
  readonly versions: number;
  /** On this disk: each content counts once; with the repositories that were cloned. */
  readonly bytes: number;
}

const listed = (folder: string): Promise<string[]> => readdir(folder).catch(() => []);

export async function keptSize(folder: string): Promise<KeptSize> {
  const objects = [...(await objectsIn(folder)), ...(await filesIn(join(folder, 'repositories')))];
  return {
    versions: (await listed(join(folder, 'trees'))).filter((name) => !name.startsWith('.')).length,
    bytes: objects.reduce((sum, { bytes }) => sum + bytes, 0),
  };
}

interface KeptObject {
  readonly path: string;
  readonly bytes: number;
  /** Trees that have it as a link, and itself. */
  readonly links: number;
  readonly writtenMs: number;
}

async function objectsIn(folder: string): Promise<KeptObject[]> {
  const found: KeptObject[] = [];
  for (const prefix of await listed(join(folder, 'objects'))) {
    for (const name of await listed(join(folder, 'objects', prefix))) {
      const path = join(folder, 'objects', prefix, name);
      const known = await stat(path).catch(() => undefined);
      if (known?.isFile() === true)
        found.push({ path, bytes: known.size, links: known.nlink, writtenMs: known.mtimeMs });
    }
  }
  return found;
}

async function filesIn(folder: string): Promise<{ readonly bytes: number }[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const files = entries.filter((entry) => entry.isFile());
  return await Promise.all(
    files.map(async ({ parentPath, name }) => ({
      bytes: (await stat(join(parentPath, name)).catch(() => undefined))?.size ?? 0,
    })),
  );
}

/**
 * @param named hashes of the code that runs name, which stays whatever its age
 * @returns how many versions and repositories were removed
 */
export async function prune(
  folder: string,
  named: ReadonlySet<string>,
  limits: PruneLimits = pruneLimits,
  now = Date.now(),
): Promise<number> {
  const trees = join(folder, 'trees');
  const repositories = join(folder, 'repositories');
  const free: { path: string; takenMs: number }[] = [];
  for (const name of await listed(repositories)) {
    // Set with each fetch. What is removed is fetched again when a run needs it.
    const known = await stat(join(repositories, name)).catch(() => undefined);
    if (known !== undefined && now - known.mtimeMs >= graceMs)
      // One whose take was killed has another name, by which nobody finds it.
      free.push({
        path: join(repositories, name),
        takenMs: name.startsWith('.') ? 0 : known.mtimeMs,
      });
  }
  for (const name of await listed(trees)) {
    if (named.has(name)) continue;
    const path = join(trees, name);
    const known = await stat(path).catch(() => undefined);
    if (known === undefined || now - known.mtimeMs < graceMs) continue;
    // A part that was never finished is of no use.
    free.push({ path, takenMs: name.startsWith('.') ? 0 : known.mtimeMs });
  }
  free.sort((a, b) => a.takenMs - b.takenMs);
  let removed = 0;
  for (const { path, takenMs } of free) {
    const isOld = now - takenMs >= limits.maxAgeMs;
    if (!isOld && (await keptSize(folder)).bytes <= limits.maxBytes) break;
    await rm(path, { recursive: true, force: true });
    removed += 1;
    await removeUnlinked(folder, now);
  }
  for (const name of await listed(folder)) {
    if (!name.startsWith('.checkout-')) continue;
    const known = await stat(join(folder, name)).catch(() => undefined);
    if (known !== undefined && now - known.mtimeMs >= graceMs)
      await rm(join(folder, name), { recursive: true, force: true });
  }
  return removed;
}

/** Contents that no tree links to. On file systems without links the trees have copies of their own. */
async function removeUnlinked(folder: string, now: number): Promise<void> {
  for (const { path, links, writtenMs } of await objectsIn(folder)) {
    // A newer one may be on its way into a tree.
    if (links === 1 && now - writtenMs >= graceMs) await rm(path, { force: true });
  }
}
