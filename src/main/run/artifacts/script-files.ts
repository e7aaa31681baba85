/** Files that an own script wrote: listed in the run's copy of the code on its nodes, and fetched. */
import { mkdir, rename, rm } from 'node:fs/promises';
import { dirname, join, posix } from 'node:path';
import { isCancelled, RinglabError, notFound, toWireError } from '../../../shared/base/errors.ts';
import { OutputPath } from '../../../shared/run/run-outputs.ts';
import type { RankRecord, RunRecord } from '../../../shared/run/run.ts';
import type { WrittenFile, WrittenList } from '../../../shared/run/written-file.ts';
import { ranksByNode } from '../launch/orders.ts';
import type { RunServices } from '../record/services.ts';
import { phrase } from '../../i18n/index.ts';
import { codeCopy, copiedMark, homeOfRun } from '../../base/node-layout.ts';
import { lastWords, shellQuote, type SshSession } from '../../ssh/index.ts';
import { sumLine, type ManifestFile } from '../../transfer/index.ts';
import { outside, realPathScript } from './real-path.ts';

/** Of all nodes together. */
const maxListed = 10_000;
const maxOutput = 4 * 1024 ** 2;
const patienceMs = 120_000;

/** The copy beside the ranks' folders. */
const copyOf = (directory: string, run: RunRecord): string => codeCopy(homeOfRun(directory), run.id);

/** Printed after the last file, so that a list that was cut is known as such. */
const wholeMark = 'whole';
/** More than what many ranks' names take, after the list. */
const maxRanks = 1024 ** 2;

/**
 * Prints the files, those that were written since the copy was made before the others; then the ranks whose folders are beside, those
 * of other nodes too where their homes are one.
 */
const listScript = (folder: string): string =>
  `cd ${shellQuote(folder)} 2>/dev/null || exit 0
# What is copied with its old time is new here.
written='-cnewer ${copiedMark}'; [ -e ${copiedMark} ] || written=-true
list() { mark=$1; shift; find . -type d -name __pycache__ -prune -o -type f ! -path ./${copiedMark} "$@" -printf "$mark %s %T@ %P\\0"; }
{ list w $written; list - ! $written; printf '${wholeMark}\\0'; } | head -c ${maxOutput}
printf '\\0'
for rank in ../rank-*; do printf '%s\\0' "\${rank#../}"; done`;

/** What a node printed: without an entry that was cut. */
function readList(stdout: string): { entries: string[]; ranks: string[]; isWhole: boolean } {
  const all = stdout.split('\0');
  const end = all.findIndex((entry) => /^rank-\d+$/.test(entry));
  const entries = end < 0 ? all : all.slice(0, end);
  const isWhole = stdout === '' || entries.includes(wholeMark);
  return { entries: isWhole ? entries : entries.slice(0, -1), ranks: end < 0 ? [] : all.slice(end), isWhole };
}

/** Of these files, those that are as they were sent. */
async function unchangedOf(
  session: Pick<SshSession, 'exec'>,
  folder: string,
  files: readonly ManifestFile[],
  signal: AbortSignal | undefined,
): Promise<ReadonlySet<ManifestFile>> {
  if (files.length === 0) return new Set();
  const { stdout } = await session.exec(`cd ${shellQuote(folder)} && xargs -0 sha256sum --`, {
    stdin: Buffer.from(files.map(({ path }) => `${path}\0`).join('')),
    signal,
    timeoutMs: patienceMs,
    // A line has 66 bytes beside its path; an entry of the list that is read has 20.
    maxOutputBytes: 4 * maxOutput,
  });
  const lines = new Set(stdout.split('\n'));
  return new Set(files.filter((file) => lines.has(sumLine(file).slice(0, -1))));
}

interface NodeFiles {
  readonly files: readonly WrittenFile[];
  /** Names of the ranks' folders that lie beside. */
  readonly ranks: readonly string[];
  readonly isWhole: boolean;
}

/**
 * Undefined where a node before has the same folder, on a shared file system.
 * @param first the node's first rank
 * @param listed folders of ranks whose nodes were asked before
 */
async function filesOn(
  { reach }: Pick<RunServices, 'reach'>,
  run: RunRecord,
  first: RankRecord,
  { sent, listed }: { sent: ReadonlyMap<string, ManifestFile>; listed: ReadonlySet<string> },
  signal: AbortSignal | undefined,
): Promise<NodeFiles | undefined> {
  const session = await reach.session(run.lab, first.nodeId, signal);
  const folder = copyOf(first.directory, run);
  const { stdout } = await session.exec(listScript(folder), {
    signal,
    timeoutMs: patienceMs,
    maxOutputBytes: maxOutput + maxRanks,
  });
  const { entries, ranks, isWhole } = readList(stdout);
  if (ranks.some((rank) => listed.has(rank))) return undefined;
  const found: { file: WrittenFile; was: ManifestFile | undefined }[] = [];
  for (const entry of entries) {
    const [, mark, size, seconds, path = ''] =
      /^([w-]) (\d{1,15}) (\d{1,12})(?:\.\d*)? (.+)$/su.exec(entry) ?? [];
    if (!OutputPath.safeParse(path).success) continue;
    const was = sent.get(path)?.size === Number(size) ? sent.get(path) : undefined;
    if (was !== undefined && mark === '-') continue;
    found.push({ file: { rank: first.rank, path, bytes: Number(size), modified: Number(seconds) }, was });
  }
  const touched = found.flatMap(({ was }) => was ?? []);
  const unchanged = await unchangedOf(session, folder, touched, signal);
  const files = found.filter(({ was }) => was === undefined || !unchanged.has(was)).map(({ file }) => file);
  return { files, ranks, isWhole };
}

/**
 * What is not in the code as it was sent, or has another size or content; sorted by path. Names are a node's claims: those
 * that lead out of the folder are left out.
 * @throws errors of the SSH layer where no node says what it has
 */
export async function writtenFiles(
  services: Pick<RunServices, 'reach' | 'code'>,
  run: RunRecord,
  signal?: AbortSignal,
): Promise<WrittenList> {
  const sent = new Map<string, ManifestFile>();
  if (run.code !== undefined) {
    const kept = await services.code?.kept(run.code).catch((error: unknown) => {
      if (isCancelled(error)) throw error;
      // Without it every file counts as written.
      return undefined;
    });
    for (const file of kept?.manifest.files ?? []) sent.set(file.path, file);
  }
  const files: WrittenFile[] = [];
  let isWhole = true;
  const listed = new Set<string>();
  /** With those of nodes whose homes are one with an asked node's. */
  const seen = new Set<string>();
  const failed = new Map<string, RinglabError>();
  for (const [first] of ranksByNode(run).values()) {
    if (first === undefined || first.directory === '') continue;
    const folder = `rank-${first.rank}`;
    const node = await filesOn(services, run, first, { sent, listed }, signal).catch((error: unknown) => {
      if (!(error instanceof RinglabError) || isCancelled(error)) throw error;
      failed.set(folder, error.at(first.nodeName));
      return undefined;
    });
    if (node === undefined) continue;
    isWhole &&= node.isWhole && files.length + node.files.length <= maxListed;
    listed.add(folder);
    for (const rank of node.ranks) seen.add(rank);
    files.push(...node.files.slice(0, maxListed - files.length));
  }
  const [error] = failed.values();
  if (error !== undefined && listed.size === 0) throw error;
  return {
    files: files.sort((a, b) => a.rank - b.rank || (a.path < b.path ? -1 : 1)),
    isWhole,
    unreached: [...failed].filter(([folder]) => !seen.has(folder)).map(([, one]) => toWireError(one)),
  };
}

/**
 * Downloads one of them into the run's folder on this computer, from where the caller moves it. A link that leads out of the run's folder is refused.
 * @throws not_found, and errors of the SSH layer
 */
export async function fetchWritten(
  services: Pick<RunServices, 'reach' | 'store'>,
  run: RunRecord,
  { rank, path }: Pick<WrittenFile, 'rank' | 'path'>,
  signal?: AbortSignal,
): Promise<{ path: string; name: string; bytes: number }> {
  const record = run.ranks[rank];
  if (record === undefined || record.directory === '') throw notFound('rank', String(rank), run.name);
  const safe = OutputPath.parse(path);
  const look = realPathScript(copyOf(record.directory, run), safe, posix.dirname(record.directory));
  const target = join(services.store.runFolder(run.id), 'artifacts', `rank-${rank}`, ...safe.split('/'));
  const session = await services.reach.session(run.lab, record.nodeId, signal);
  const there = await session.exec(look, { signal, brief: true });
  if (there.code !== 0)
    throw new RinglabError(
      'nothing_to_export',
      { artifact: path },
      {
        where: run.name,
        detail: there.code === outside ? phrase('reasons.leadsOutside') : lastWords(there),
      },
    );
  const source = there.stdout.trimEnd();
  await mkdir(dirname(target), { recursive: true });
  try {
    const { bytes } = await session.download(source, `${target}.part`, { signal });
    await rename(`${target}.part`, target);
    return { path: target, name: safe.split('/').at(-1) ?? safe, bytes };
  } catch (error) {
    await rm(`${target}.part`, { force: true });
    throw error;
  }
}
