/** Exports files of a run: checkpoints from the node that saved them, metrics and commands from the store. */
import { mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { createHash } from 'node:crypto';
import { dirname, join, posix } from 'node:path';
import { createKeyedQueue } from '../../base/serial-queue.ts';
import type { Language } from '../../../shared/base/language.ts';
import { isKeptCheckpoint, RenamedCheckpoint } from '../../../shared/run/checkpoint.ts';
import { isCancelled, RinglabError } from '../../../shared/base/errors.ts';
import type { Artifact, ExportedFile, RunRecord } from '../../../shared/run/run.ts';
import { shellQuote, type ExecResult, type SshSession } from '../../ssh/index.ts';
import { checkpointWriter } from './checkpoint-writer.ts';
import { commandScript } from '../launch/command-script.ts';
import { writeCsv, writeJson } from './metrics-export.ts';
import { fetchProgress } from './fetch-progress.ts';
import { fetchOutput } from './output-file.ts';
import { isOutputRef } from '../../../shared/run/run-outputs.ts';
import { writeReport } from './report.ts';
import { keptArtifact } from '../record/kept-artifact.ts';
import type { RunServices } from '../record/services.ts';
import { trainerOf } from './run-trainer.ts';
import { mustBePlainData } from './verify-checkpoint.ts';
import { diskError } from '../../store/index.ts';
import { exitWords } from '../../i18n/index.ts';

export interface ArtifactFile {
  readonly path: string;
  readonly name: string;
  readonly bytes: number;
}

/** Exit code of the script below, beside the trainer's own. */
const noTrainer = 91;

/** Serialises by file: the user may press 'Export' while the same file is being fetched after the run's end. */
const inTurn = createKeyedQueue();

/**
 * Creates the file on this computer. Rejects with `nothing_to_export` where it does not exist yet, `local_disk_full` and
 * `file_unwritable`.
 * @param max maximum of bytes read from a node, whatever size it reported
 */
export async function makeArtifact(
  services: RunServices,
  run: RunRecord,
  artifact: ExportedFile,
  signal?: AbortSignal,
  language: Language = 'en',
  max?: number,
): Promise<ArtifactFile> {
  const path = keptArtifact(services.store, run.id, localName(artifact));
  return inTurn(path, async () => {
    signal?.throwIfAborted();
    await mkdir(dirname(path), { recursive: true }).catch((error: unknown) => {
      throw diskError(error, path);
    });
    return write(services, run, artifact, path, signal, language, max);
  });
}

/** A script's file keeps its own name as far as every system can have it; two of one name differ in their folders. */
function localName(artifact: ExportedFile): string {
  if (!isOutputRef(artifact)) return artifact;
  const folder = createHash('sha256').update(artifact).digest('hex').slice(0, 16);
  return join('outputs', folder, plainName(artifact));
}

const plainName = (artifact: string): string =>
  posix
    .basename(artifact)
    .replaceAll(/[^\p{L}\p{N}._-]/gu, '_')
    .replace(/^\./, '_')
    .slice(-120);

async function write(
  services: RunServices,
  run: RunRecord,
  artifact: ExportedFile,
  path: string,
  signal: AbortSignal | undefined,
  language: Language,
  max: number | undefined,
): Promise<ArtifactFile> {
  const lines = () => services.store.allLines(run.id);
  let bytes: number;
  if (isOutputRef(artifact))
    return {
      path,
      name: plainName(artifact),
      bytes: await fetchOutput(services, run, artifact, path, signal, max),
    };
  if (isKeptCheckpoint(artifact))
    return {
      path,
      name: artifact,
      bytes: await fetchCheckpoint(services, run, artifact, path, signal, max),
    };
  switch (artifact) {
    case 'model_best.torchvision.pth.tar':
    case 'model_best.ddp.pth.tar':
    case 'checkpoint.torchvision.pth.tar':
    case 'checkpoint.ddp.pth.tar':
      bytes = await fetchCheckpoint(services, run, artifact, path, signal, max);
      break;
    case 'metrics.csv':
      bytes = await writeCsv(path, lines, signal);
      break;
    case 'metrics.json':
      bytes = await writeJson(path, lines, signal);
      break;
    case 'commands.sh':
      bytes = await writeText(path, commandsOf(run));
      break;
    case 'report.html':
      bytes = await writeText(path, await writeReport(services.store, run, language));
      break;
    case 'model_best.pth.tar':
    case 'checkpoint.pth.tar':
      bytes = await fetchCheckpoint(services, run, artifact, path, signal, max);
  }
  return { path, name: artifact, bytes };
}

/** The commands of a run whose ranks are planned. */
export function commandsOf(run: RunRecord): string {
  if (run.ranks.every((rank) => rank.argv.length === 0))
    throw new RinglabError('nothing_to_export', { artifact: 'commands.sh' }, { where: run.name });
  return commandScript(run);
}

/** Rejects with `local_disk_full`, `file_unwritable`. */
async function writeText(path: string, text: string): Promise<number> {
  const temporary = `${path}.part`;
  try {
    await writeFile(temporary, text, { mode: path.endsWith('.sh') ? 0o755 : 0o644 });
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw diskError(error, path);
  }
  return Buffer.byteLength(text);
}

/**
 * Downloads a checkpoint unless the same content is already here; where the node is unreachable, the earlier copy is
 * used. The hash is stored beside the copy.
 */
async function fetchCheckpoint(
  services: RunServices,
  run: RunRecord,
  artifact: ExportedFile,
  path: string,
  signal: AbortSignal | undefined,
  max: number | undefined,
): Promise<number> {
  const here = (await stat(path).catch(() => undefined))?.size;
  const writer = await checkpointWriter(services.store, run, artifact);
  const missing = (): RinglabError =>
    new RinglabError('nothing_to_export', { artifact }, { where: run.name });
  if (writer === undefined || writer.directory === '') throw missing();
  const source = `${writer.directory}/${artifact.replace(/\.(?:torchvision|ddp)\.pth\.tar$/, '.pth.tar')}`;
  let session: SshSession;
  let result: ExecResult;
  try {
    session = await services.reach.session(run.lab, writer.nodeId, signal);
    result = await session.exec(`[ -f ${shellQuote(source)} ] || exit 3; sha256sum < ${shellQuote(source)}`, {
      signal,
      timeoutMs: 120_000,
    });
  } catch (error) {
    if (here !== undefined && !isCancelled(error)) return here;
    throw error;
  }
  if (result.code === 3) {
    if (here !== undefined) return here;
    throw missing();
  }
  const hash = result.stdout.trim().split(/\s/)[0] ?? '';
  const known = await readFile(`${path}.sha256`, 'utf8').catch(() => '');
  if (here !== undefined && hash !== '' && known.trim() === hash) return here;
  // Beside an existing copy: a refused file must not replace it.
  const fetched = `${path}.fetched`;
  const onProgress = fetchProgress(services, run.id, artifact);
  let bytes: number;
  try {
    bytes = RenamedCheckpoint.safeParse(artifact).success
      ? await fetchRenamed(session, writer, source, artifact, fetched, { signal, max, onProgress })
      : (await session.download(source, fetched, { signal, max, onProgress })).bytes;
    await mustBePlainData(fetched, artifact, writer.nodeName);
    await rename(fetched, path);
  } catch (error) {
    await rm(fetched, { force: true });
    throw error;
  }
  // Written after the file: a copy without its hash is downloaded again.
  await writeText(`${path}.sha256`, `${hash}\n`);
  return bytes;
}

/**
 * The trainer writes the file beside the checkpoint; it is downloaded and removed. Rejects with `rename_failed` and
 * `trainer_gone`.
 */
async function fetchRenamed(
  session: SshSession,
  writer: RunRecord['ranks'][number],
  source: string,
  artifact: ExportedFile,
  path: string,
  options: NonNullable<Parameters<SshSession['download']>[2]>,
): Promise<number> {
  const where = writer.nodeName;
  const trainer = trainerOf(writer);
  const made = `${writer.directory}/${artifact}`;
  const prefix = artifact.includes('.ddp.') ? 'on' : 'off';
  try {
    const result = await session.exec(
      `[ -x ${shellQuote(trainer.path)} ] || exit ${noTrainer}
${trainer.command(['module-prefix', prefix, source, made])}`,
      { signal: options.signal, timeoutMs: 600_000 },
    );
    if (result.code === noTrainer)
      throw new RinglabError('trainer_gone', {}, { where, detail: trainer.path });
    if (result.code !== 0) {
      const reason = result.stderr.trimEnd().split('\n').at(-1) || exitWords(result.code);
      throw new RinglabError('rename_failed', { artifact, reason }, { where, detail: result.stderr });
    }
    return (await session.download(made, path, options)).bytes;
  } finally {
    await session.exec(`rm -f ${shellQuote(made)}`, { brief: true }).catch(() => undefined);
  }
}

/** @returns false where it is too large */
async function fetchUnlessLarge(
  services: RunServices,
  run: RunRecord,
  artifact: Artifact,
  signal: AbortSignal,
): Promise<boolean> {
  const max = services.settings.fetchBytes;
  const writer = await checkpointWriter(services.store, run, artifact);
  if (writer === undefined || writer.directory === '') return true;
  const session = await services.reach.session(run.lab, writer.nodeId, signal);
  const remote = shellQuote(`${writer.directory}/${artifact}`);
  const size = await session.exec(`[ -f ${remote} ] && wc -c <${remote}`, { signal, brief: true });
  if (size.code !== 0) return true;
  if (Number(size.stdout) > max) return false;
  await makeArtifact(services, run, artifact, signal, 'en', max);
  return true;
}

/**
 * After a run has ended: downloads its checkpoints unless they are too large. An error does not fail the run.
 * @returns whether all that are there have been downloaded
 */
export async function fetchCheckpoints(
  services: RunServices,
  run: RunRecord,
  signal: AbortSignal,
): Promise<boolean> {
  let areHome = true;
  const failures: unknown[] = [];
  for (const artifact of ['model_best.pth.tar', 'checkpoint.pth.tar'] as const) {
    try {
      if (!(await fetchUnlessLarge(services, run, artifact, signal))) areHome = false;
    } catch (error) {
      // The other one may be on another node.
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
  return areHome;
}
