/**
 * Sends a folder to a node: only what is missing there, in batches that are verified as they arrive, so that a lost
 * connection costs one batch; into a folder beside the target that is renamed when it is whole.
 *
 * On the node, in `<target's parent>/.incoming-<target>-<who>/`: the files, `.ringlab-manifest` (all of them, as
 * `sha256sum` writes them) and `.ringlab-have` (the lines of those that have arrived and were verified).
 */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join, posix } from 'node:path';
import { RinglabError } from '../../shared/errors.ts';
import type { SshSession } from '../ssh/index.ts';
import { sumLine, sumLines, type FolderManifest, type ManifestFile } from './folder-manifest.ts';
import { shellQuote } from '../ssh/index.ts';
import { freeBytes, needBytes, saysDiskFull } from './space.ts';
import { tarBytes } from './tar.ts';

/**
 * A batch is held in memory, once for each of `lanes`; a larger file is uploaded on its own. What is on its way when a connection
 * is lost must be sent again: a batch is as large as goes over in `batchSeconds`, and no larger than this.
 */
const batchBytes = 4 * 1024 ** 2;
const smallestBatch = 128 * 1024;
const batchSeconds = 0.5;
/** Few enough for their lines to be appended in one write. */
const batchFiles = 800;
/** Batches on their way at the same time: one is read here while another is unpacked there. */
const lanes = 2;
const patienceMs = 30 * 60_000;

export interface SendOptions {
  /** Tells two senders to one home apart. */
  readonly who: string;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: { done: number; total: number }) => void;
  readonly log?: (line: string) => void;
}

/** True where the whole folder stands at `target` (absolute). It gets that name only when it is whole. */
export async function hasFolder(
  node: Pick<SshSession, 'exec'>,
  target: string,
  signal?: AbortSignal,
): Promise<boolean> {
  const { code } = await node.exec(`[ -f ${shellQuote(`${target}/.ringlab-manifest`)} ]`, { signal });
  return code === 0;
}

/** Reads every file of a folder that was sent and removes the folder where one is not as it was. Returns whether it is. */
export async function verifyFolder(
  node: Pick<SshSession, 'exec'>,
  target: string,
  signal?: AbortSignal,
): Promise<boolean> {
  const { code } = await node.exec(
    `cd ${shellQuote(target)} 2>/dev/null && { sha256sum -c --quiet .ringlab-manifest >/dev/null 2>&1 || { cd / && rm -rf ${shellQuote(target)}; exit 1; }; }`,
    { signal, timeoutMs: 6 * 3_600_000 },
  );
  return code === 0;
}

/**
 * @param target absolute path on the node; other folders beside it that begin with the manifest's name are looked
 *   through for files that need not be sent
 * @returns bytes of files sent
 * @throws node_disk_full before anything is copied, hash_mismatch, transfer_failed, file_unreadable, and the SSH layer's
 */
export async function sendFolder(
  node: SshSession,
  manifest: FolderManifest,
  target: string,
  options: SendOptions,
): Promise<{ sent: number }> {
  const { signal, log = () => undefined } = options;
  const incoming = `${posix.dirname(target)}/.incoming-${posix.basename(target)}-${options.who}`;
  const have = await begin(node, manifest, target, incoming, signal);
  const missing = manifest.files.filter((file) => !have.has(sumLine(file).slice(0, -1)));
  const bytes = missing.reduce((sum, { size }) => sum + size, 0);
  log(
    `${manifest.files.length - missing.length} of ${manifest.files.length} files are there; ${bytes} bytes to send`,
  );
  await needBytes(node, posix.dirname(target), bytesOnDisk(missing), signal);
  let done = manifest.bytes - bytes;
  const arrived = (files: readonly ManifestFile[]): void => {
    done += files.reduce((sum, { size }) => sum + size, 0);
    options.onProgress?.({ done, total: manifest.bytes });
  };
  arrived([]);
  const queue = batchesOf(missing);
  // One lane that fails stops the others from beginning anything; what they have under way is let through.
  let failed = false;
  const lane = async (): Promise<void> => {
    let wanted = smallestBatch;
    for (let batch = queue(wanted); batch !== undefined; batch = queue(wanted)) {
      if (failed) return;
      signal?.throwIfAborted();
      const { index, files } = batch;
      const began = performance.now();
      try {
        await sendBatch(node, manifest.root, incoming, index, files, signal);
      } catch (error) {
        failed = true;
        throw error;
      }
      arrived(files);
      const went = files.reduce((sum, { size }) => sum + size, 0);
      const inTime = (went / Math.max(1, performance.now() - began)) * 1000 * batchSeconds;
      wanted = Math.min(batchBytes, Math.max(smallestBatch, Math.min(inTime, wanted * 2)));
    }
  };
  const results = await Promise.allSettled(Array.from({ length: lanes }, lane));
  signal?.throwIfAborted();
  for (const result of results) if (result.status === 'rejected') throw result.reason;
  await finish(node, manifest.files.length, incoming, target, signal);
  return { sent: bytes };
}

/** Whole blocks, a folder's own share and a little air. */
export const bytesOnDisk = (files: readonly ManifestFile[]): number =>
  files.reduce((sum, { size }) => sum + Math.ceil(size / 4096) * 4096 + 256, 0) +
  (files.length > 0 ? 1024 ** 2 : 0);

/**
 * Files that an older version of the same folder has are linked, not sent; they are read once, for they may have been
 * changed since.
 */
const reuseScript = (incoming: string, prefix: string): string => `
cd ${shellQuote(incoming)} || exit 1
if [ ! -e .ringlab-have ]; then
  : > .ringlab-have
  for old in ${shellQuote(prefix)}-*/; do
    [ -f "$old.ringlab-manifest" ] || continue
    awk 'NR == FNR { wanted[$0] = 1; next } $0 in wanted && !/^\\\\/' .ringlab-manifest "$old.ringlab-manifest" > .ringlab-common
    while IFS= read -r line; do
      path=\${line#*  }
      case $path in */*) mkdir -p "\${path%/*}";; esac
      [ -e "$path" ] || ln "$old$path" "$path" 2>/dev/null || cp -p "$old$path" "$path"
    done < .ringlab-common
    sha256sum -c .ringlab-common 2>/dev/null | sed -n 's/: OK$//p' > .ringlab-good
    awk 'NR == FNR { good[$0] = 1; next } substr($0, 67) in good' .ringlab-good .ringlab-common >> .ringlab-have
    awk 'NR == FNR { good[$0] = 1; next } !(substr($0, 67) in good) { print substr($0, 67) }' .ringlab-good .ringlab-common |
      while IFS= read -r path; do rm -f "$path"; done
    rm -f .ringlab-common .ringlab-good
  done
fi
`;

/** The folder to fill, and the manifest lines of what it has already. */
export async function begin(
  node: SshSession,
  manifest: FolderManifest,
  target: string,
  incoming: string,
  signal: AbortSignal | undefined,
): Promise<Set<string>> {
  await node.run(`mkdir -p ${shellQuote(incoming)}`, { signal });
  await node.upload({ bytes: Buffer.from(sumLines(manifest.files)) }, `${incoming}/.ringlab-manifest`, {
    signal,
  });
  const prefix = `${posix.dirname(target)}/${manifest.name}`;
  await node.run(reuseScript(incoming, prefix), { signal, timeoutMs: patienceMs });
  const folder = await mkdtemp(join(tmpdir(), 'ringlab-send-'));
  try {
    await node.download(`${incoming}/.ringlab-have`, join(folder, 'have'), { signal });
    return new Set((await readFile(join(folder, 'have'), 'utf8')).split('\n'));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Gives the next files, together no more than the bytes asked for; one where that alone is more; undefined at the end. */
function batchesOf(
  files: readonly ManifestFile[],
): (most: number) => { index: number; files: ManifestFile[] } | undefined {
  let next = 0;
  let index = 0;
  return (most) => {
    const batch: ManifestFile[] = [];
    let bytes = 0;
    for (let file = files[next]; file !== undefined; file = files[next]) {
      if (batch.length > 0 && (bytes + file.size > most || batch.length === batchFiles)) break;
      batch.push(file);
      bytes += file.size;
      next += 1;
    }
    return batch.length === 0 ? undefined : { index: index++, files: batch };
  };
}

async function sendBatch(
  node: SshSession,
  root: string,
  incoming: string,
  index: number,
  files: readonly ManifestFile[],
  signal: AbortSignal | undefined,
): Promise<void> {
  const sums = `.ringlab-batch-${index}`;
  const [first] = files;
  if (first === undefined) return;
  const lines = { path: sums, content: { bytes: Buffer.from(sumLines(files)) } };
  const large = first.size > batchBytes;
  if (large) {
    const remote = `${incoming}/${first.path}`;
    await node.run(`mkdir -p ${shellQuote(posix.dirname(remote))}`, { signal });
    await node.upload({ path: join(root, first.path) }, remote, { signal });
  }
  const content = files.map((file) => ({
    path: file.path,
    content: { file: join(root, file.path), size: file.size },
  }));
  const result = await node.exec(
    `cd ${shellQuote(incoming)} && tar -xf - && sha256sum -c --quiet ${sums} && cat ${sums} >> .ringlab-have && rm -f ${sums}`,
    { stdin: await tarBytes(large ? [lines] : [lines, ...content], signal), signal, timeoutMs: patienceMs },
  );
  if (result.code === 0) return;
  const said = `${result.stdout}${result.stderr}`.trim();
  if (saysDiskFull(said)) {
    const free = await freeBytes(node, incoming, signal);
    throw new RinglabError(
      'node_disk_full',
      { path: incoming, needed: bytesOnDisk(files), free },
      { detail: said },
    );
  }
  const damaged = /^(.*): FAILED/m.exec(said)?.[1];
  if (damaged !== undefined) throw new RinglabError('hash_mismatch', { path: damaged }, { detail: said });
  const path = `${basename(root)}/${first.path}`;
  throw new RinglabError(
    'transfer_failed',
    { path, reason: said.split('\n').at(-1) ?? '' },
    { detail: said },
  );
}

/** Gives the folder its name. Another sender may have been faster: then ours is removed. */
export async function finish(
  node: Pick<SshSession, 'exec'>,
  files: number,
  incoming: string,
  target: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  const [from, to] = [shellQuote(incoming), shellQuote(target)];
  const result = await node.exec(
    `cd ${from} && count=$(find . -type f ! -path './.ringlab-*' -print0 | tr -dc '\\0' | wc -c) && echo "count $((count))"
[ "$((count))" = ${files} ] || exit 3
rm -f .ringlab-have .ringlab-batch-*
cd .. && if [ -e ${to} ]; then rm -rf ${from}; else mv ${from} ${to}; fi`,
    { signal, timeoutMs: patienceMs },
  );
  if (result.code === 0) return;
  const reason = result.code === 3 ? `${result.stdout.trim()} of ${files} files` : result.stderr.trim();
  throw new RinglabError('transfer_failed', { path: target, reason }, { detail: result.stderr });
}
