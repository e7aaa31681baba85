/**
 * Sends a folder to a node: only missing files, in batches that are verified on arrival, so that a lost connection
 * costs one batch; into a folder beside the target that is renamed when it is complete.
 *
 * On the node, in `<target's parent>/.incoming-<target>-<who>/`: the files, `.ringlab-manifest` (all of them, in the
 * format of `sha256sum`) and `.ringlab-have` (the lines of those that have arrived and were verified).
 */
import { basename, join, posix } from 'node:path';
import { RinglabError } from '../../shared/base/errors.ts';
import type { Line } from '../../shared/base/phrase.ts';
import { phrase } from '../i18n/index.ts';
import { lastWords, shellQuote, type ExecResult, type SshSession } from '../ssh/index.ts';
import { sumLine, type FolderManifest, type ManifestFile } from './folder-manifest.ts';
import { begin, compressed, failure, finish, makeExecutable, reuse } from './incoming-folder.ts';
import { needBytes } from './space.ts';
import { tarBytes } from './tar.ts';

/**
 * Maximum size of a batch. A batch is held in memory, once for each of `lanes`; a larger file is uploaded on its own.
 * A lost connection means that the current batch must be sent again: its size is what can be sent in `batchSeconds`.
 */
const batchBytes = 4 * 1024 ** 2;
const smallestBatch = 128 * 1024;
const batchSeconds = 0.5;
/**
 * Bytes a second below which a batch is compressed: images are not compressible, but their 512-byte tar headers and
 * some data are. On a faster link compression would be the bottleneck.
 */
const gzipBelow = 30e6;
/** Few enough for their lines to be appended in one write. */
const batchFiles = 800;
/** Concurrent batches: one is read here while another is unpacked there. */
const lanes = 2;
const patienceMs = 30 * 60_000;

export interface SendOptions {
  /** Distinguishes two senders to the same home. */
  readonly who: string;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: { done: number; total: number }) => void;
  readonly log?: (line: Line) => void;
  /**
   * Gets files onto the node from elsewhere than here, where so many bytes are missing: a folder on the node with a
   * `.ringlab-manifest` of its own. Its files are verified and used; undefined where it has none.
   */
  readonly bring?: (bytes: number) => Promise<string | undefined>;
}

/** Whether the complete folder exists at `target` (absolute). It gets that name only when it is complete. */
export async function hasFolder(
  node: Pick<SshSession, 'exec'>,
  target: string,
  signal?: AbortSignal,
): Promise<boolean> {
  const { code } = await node.exec(`[ -f ${shellQuote(`${target}/.ringlab-manifest`)} ]`, { signal });
  return code === 0;
}

const verified = (
  node: Pick<SshSession, 'exec'>,
  target: string,
  signal: AbortSignal | undefined,
): Promise<ExecResult> =>
  node.exec(
    `cd ${shellQuote(target)} 2>/dev/null || exit 1; sha256sum -c --quiet .ringlab-manifest >/dev/null`,
    { signal, timeoutMs: 6 * 3_600_000 },
  );

/** Verifies every file of a sent folder. Returns whether it is there and intact; changes nothing. */
export async function isIntact(
  node: Pick<SshSession, 'exec'>,
  target: string,
  signal?: AbortSignal,
): Promise<boolean> {
  return (await verified(node, target, signal)).code === 0;
}

/**
 * The same, and removes the folder where a file differs: for a step's `apply`, which sends it again.
 * @throws command_failed where sha256sum did not get to its end: that is no verdict
 */
export async function verifyFolder(
  node: Pick<SshSession, 'exec'>,
  target: string,
  signal?: AbortSignal,
): Promise<boolean> {
  const result = await verified(node, target, signal);
  if (result.code === 0) return true;
  if (result.code !== 1) {
    const params = { command: `cd ${target} && sha256sum -c .ringlab-manifest`, code: result.code ?? -1 };
    throw new RinglabError('command_failed', params, { detail: lastWords(result) });
  }
  await node.exec(`rm -rf ${shellQuote(target)}`, { signal, timeoutMs: 6 * 3_600_000 });
  return false;
}

/**
 * @param target absolute path on the node; folders beside it whose names begin with the manifest's name are searched
 * for files to reuse
 * @returns bytes of files sent
 * @throws node_disk_full before anything is copied, hash_mismatch, transfer_failed, file_unreadable, and errors of
 * the SSH layer
 */
export async function sendFolder(
  node: SshSession,
  manifest: FolderManifest,
  target: string,
  options: SendOptions,
): Promise<{ sent: number }> {
  const { signal, log = () => undefined } = options;
  const incoming = `${posix.dirname(target)}/.incoming-${posix.basename(target)}-${options.who}`;
  const lackedBy = (have: ReadonlySet<string>): { files: readonly ManifestFile[]; bytes: number } => {
    const files = manifest.files.filter((file) => !have.has(sumLine(file).slice(0, -1)));
    return { files, bytes: files.reduce((sum, { size }) => sum + size, 0) };
  };
  let lacked = lackedBy(await begin(node, manifest, target, incoming, signal));
  const brought = lacked.bytes > 0 ? await options.bring?.(lacked.bytes) : undefined;
  if (brought !== undefined) lacked = lackedBy(await reuse(node, manifest, incoming, brought, signal));
  const { files: missing, bytes } = lacked;
  const count = manifest.files.length;
  log(phrase('stepLog.filesToSend', { there: count - missing.length, count, bytes }));
  await needBytes(node, posix.dirname(target), bytesOnDisk(missing), signal);
  let done = manifest.bytes - bytes;
  const arrived = (files: readonly ManifestFile[]): void => {
    done += files.reduce((sum, { size }) => sum + size, 0);
    options.onProgress?.({ done, total: manifest.bytes });
  };
  arrived([]);
  await makeFolders(node, incoming, missing, signal);
  const queue = batchesOf(missing);
  const lineOf = new Map(manifest.files.map((file, index) => [file, index + 1]));
  // A failed lane prevents the others from starting new batches; their current ones finish.
  let failed = false;
  const lane = async (): Promise<void> => {
    let wanted = smallestBatch;
    let bytesPerSecond = 0;
    for (let batch = queue(wanted); batch !== undefined; batch = queue(wanted)) {
      if (failed) return;
      signal?.throwIfAborted();
      const { index, files } = batch;
      const began = performance.now();
      try {
        await sendBatch(
          node,
          manifest.root,
          incoming,
          { index, files, lines: ranges(files.map((file) => lineOf.get(file) ?? 0)) },
          bytesPerSecond < gzipBelow,
          signal,
        );
      } catch (error) {
        failed = true;
        throw error;
      }
      arrived(files);
      const went = files.reduce((sum, { size }) => sum + size, 0);
      bytesPerSecond = (went / Math.max(1, performance.now() - began)) * 1000;
      const inTime = bytesPerSecond * batchSeconds;
      wanted = Math.min(batchBytes, Math.max(smallestBatch, Math.min(inTime, wanted * 2)));
    }
  };
  const results = await Promise.allSettled(Array.from({ length: lanes }, lane));
  signal?.throwIfAborted();
  for (const result of results) if (result.status === 'rejected') throw result.reason;
  await makeExecutable(node, incoming, manifest.files, signal);
  await finish(node, manifest.files.length, incoming, target, signal);
  return { sent: bytes };
}

/** Two concurrent tars sometimes fail to create the same folder; `mkdir -p` does not. */
async function makeFolders(
  node: SshSession,
  incoming: string,
  files: readonly ManifestFile[],
  signal: AbortSignal | undefined,
): Promise<void> {
  const folders = [...new Set(files.map(({ path }) => posix.dirname(path)))].filter((path) => path !== '.');
  if (folders.length === 0) return;
  const result = await node.exec(`cd ${shellQuote(incoming)} && gzip -dc | xargs -0 mkdir -p --`, {
    stdin: await compressed(folders.map((path) => `${path}\0`).join('')),
    signal,
    timeoutMs: patienceMs,
  });
  if (result.code !== 0)
    throw await failure(node, incoming, incoming, result.stderr.trim(), bytesOnDisk(files), signal);
}

/** Whole blocks, plus folders and a small margin. */
export const bytesOnDisk = (files: readonly ManifestFile[]): number =>
  files.reduce((sum, { size }) => sum + Math.ceil(size / 4096) * 4096 + 256, 0) +
  (files.length > 0 ? 1024 ** 2 : 0);

interface Batch {
  readonly index: number;
  readonly files: readonly ManifestFile[];
}

/** Returns the next files, at most as many bytes as requested; a larger file alone; undefined at the end. */
function batchesOf(files: readonly ManifestFile[]): (max: number) => Batch | undefined {
  let next = 0;
  let index = 0;
  return (max) => {
    const batch: ManifestFile[] = [];
    let bytes = 0;
    for (let file = files[next]; file !== undefined; file = files[next]) {
      if (batch.length > 0 && (bytes + file.size > max || batch.length === batchFiles)) break;
      batch.push(file);
      bytes += file.size;
      next += 1;
    }
    return batch.length === 0 ? undefined : { index: index++, files: batch };
  };
}

/** '1,9p;12p': lines for sed, as ranges. */
function ranges(lines: readonly number[]): string {
  const found: [number, number][] = [];
  for (const line of lines) {
    const last = found.at(-1);
    if (last !== undefined && last[1] === line - 1) last[1] = line;
    else found.push([line, line]);
  }
  return found.map(([from, to]) => (from === to ? `${from}p` : `${from},${to}p`)).join(';');
}

async function sendBatch(
  node: SshSession,
  root: string,
  incoming: string,
  { index, files, lines }: Batch & { readonly lines: string },
  isCompressed: boolean,
  signal: AbortSignal | undefined,
): Promise<void> {
  const sums = `.ringlab-batch-${index}`;
  const [first] = files;
  if (first === undefined) return;
  const large = first.size > batchBytes;
  if (large) {
    const remote = `${incoming}/${first.path}`;
    await node.run(`mkdir -p ${shellQuote(posix.dirname(remote))}`, { signal });
    await node.upload({ path: join(root, first.path) }, remote, { signal });
  }
  const content = files.map((file) => ({
    path: file.path,
    mode: file.executable === true ? 0o755 : 0o644,
    content: { file: join(root, file.path), size: file.size },
  }));
  const archive = await tarBytes(large ? [] : content, signal);
  const result = await node.exec(
    `cd ${shellQuote(incoming)} && tar -x${isCompressed ? 'z' : ''}f - --no-same-owner && sed -n '${lines}' .ringlab-manifest > ${sums} && sha256sum -c --quiet ${sums} && cat ${sums} >> .ringlab-have && rm -f ${sums}`,
    { stdin: isCompressed ? await compressed(archive) : archive, signal, timeoutMs: patienceMs },
  );
  if (result.code === 0) return;
  const output = `${result.stdout}${result.stderr}`.trim();
  const damaged = /^(.*): FAILED/m.exec(output)?.[1];
  if (damaged !== undefined) throw new RinglabError('hash_mismatch', { path: damaged }, { detail: output });
  throw await failure(node, incoming, `${basename(root)}/${first.path}`, output, bytesOnDisk(files), signal);
}
