/** Free space in the home folder that a cluster's nodes share: of the file system, or what the user's quota leaves. */
import type { SlurmFacts } from '../../../shared/node/slurm-facts.ts';
import type { ReadyNode } from '../../provision/index.ts';
import type { SshSession } from '../../ssh/index.ts';
import { withFreeSpace } from './disk-needs.ts';

const kibi = 1024;
const patienceMs = 20_000;

/** Prints the user's quotas of the home folder, without their headings. A server of quotas that is away costs seconds. */
export const quotaScript = `if command -v quota >/dev/null; then timeout 5 quota -wp -f "$HOME" 2>/dev/null | tail -n +3; fi
if command -v lfs >/dev/null; then timeout 5 lfs quota -q -u "$(id -un)" "$HOME" 2>/dev/null; fi
`;

/**
 * Of `quota -wp` and `lfs quota -q`: file system, blocks used, soft and hard limit, where 0 is none. An exceeded number has
 * a star. `lfs` writes a file system of more than 15 characters on a line of its own. The narrowest of several; undefined
 * without any.
 */
export function quotaOf(lines: readonly string[]): SlurmFacts['quota'] {
  const quotas = lines.flatMap((line) => {
    const words = line.trim().split(/\s+/);
    const isNumber = /^\d+\*?$/.test(words[0] ?? '');
    const [used, soft, hard] = words.slice(isNumber ? 0 : 1).map((word) => Number(word.replace('*', '')));
    const limit = hard !== undefined && hard > 0 ? hard : soft;
    const isOne = used !== undefined && limit !== undefined && used >= 0 && limit > 0;
    return isOne ? [{ used: used * kibi, limit: limit * kibi }] : [];
  });
  return quotas.toSorted((a, b) => a.limit - a.used - (b.limit - b.used))[0];
}

/** All nodes of a run with the space as it is now: asked once, since their home is one. */
export async function withSharedSpace(
  nodes: readonly ReadyNode[],
  session: () => Promise<Pick<SshSession, 'exec'>>,
  signal: AbortSignal,
): Promise<ReadyNode[]> {
  const [first] = nodes;
  if (first === undefined) return [];
  const { facts } = await withFreeSpace(first, session, signal);
  const left = await quotaLeft(session, signal);
  const diskFreeBytes = Math.min(facts.diskFreeBytes, left);
  return nodes.map((node) => ({ ...node, facts: { ...node.facts, diskFreeBytes } }));
}

/** Infinity where no quota is known. */
async function quotaLeft(
  session: () => Promise<Pick<SshSession, 'exec'>>,
  signal: AbortSignal,
): Promise<number> {
  try {
    const { exec } = await session();
    const { stdout } = await exec(quotaScript, { signal, timeoutMs: patienceMs, brief: true });
    const quota = quotaOf(stdout.split('\n'));
    return quota === undefined ? Infinity : Math.max(0, quota.limit - quota.used);
  } catch {
    signal.throwIfAborted();
    return Infinity;
  }
}
