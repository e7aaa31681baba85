/** What can be taken home from a run: checkpoints from rank 0's node, metrics and commands from the store. */
import { mkdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createKeyedQueue } from '../../base/serial-queue.ts';
import type { Language } from '../../../shared/base/error-texts.ts';
import { isKeptCheckpoint, type KeptCheckpoint } from '../../../shared/run/checkpoint.ts';
import { isCancelled, RinglabError } from '../../../shared/base/errors.ts';
import type { Artifact, RunRecord } from '../../../shared/run/run.ts';
import { shellQuote, type SshSession } from '../../ssh/index.ts';
import { commandScript } from '../launch/command-script.ts';
import { writeCsv, writeJson } from './metrics-export.ts';
import { writeReport } from './report.ts';
import type { RunServices } from '../record/services.ts';

export interface ArtifactFile {
  readonly path: string;
  readonly name: string;
  readonly bytes: number;
}

/** The last call for each file: the person may press 'Export' while the same file is being fetched after the run's end. */
const inTurn = createKeyedQueue();

/**
 * Makes the file on this computer. Rejects with `nothing_to_export` where there is none yet.
 * @param most bytes that are taken from a node, whatever it said of the size before
 */
export async function makeArtifact(
  services: RunServices,
  run: RunRecord,
  artifact: Artifact | KeptCheckpoint,
  signal?: AbortSignal,
  language: Language = 'en',
  most?: number,
): Promise<ArtifactFile> {
  const folder = join(services.store.runFolder(run.id), 'artifacts');
  const path = join(folder, artifact);
  return inTurn(path, async () => {
    signal?.throwIfAborted();
    await mkdir(folder, { recursive: true });
    return write(services, run, artifact, path, signal, language, most);
  });
}

async function write(
  services: RunServices,
  run: RunRecord,
  artifact: Artifact | KeptCheckpoint,
  path: string,
  signal: AbortSignal | undefined,
  language: Language,
  most: number | undefined,
): Promise<ArtifactFile> {
  const lines = () => services.store.allLines(run.id);
  let bytes: number;
  if (isKeptCheckpoint(artifact))
    return {
      path,
      name: artifact,
      bytes: await fetchCheckpoint(services, run, artifact, path, signal, most),
    };
  switch (artifact) {
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
      bytes = await fetchCheckpoint(services, run, artifact, path, signal, most);
  }
  return { path, name: artifact, bytes };
}

/** The commands of a run whose ranks have been planned. */
export function commandsOf(run: RunRecord): string {
  if (run.ranks.every((rank) => rank.argv.length === 0))
    throw new RinglabError('nothing_to_export', { artifact: 'commands.sh' }, { where: run.name });
  return commandScript(run);
}

async function writeText(path: string, text: string): Promise<number> {
  await writeFile(`${path}.part`, text, { mode: path.endsWith('.sh') ? 0o755 : 0o644 });
  await rename(`${path}.part`, path);
  return Buffer.byteLength(text);
}

/**
 * Brings a checkpoint home where its content is not here already; where the node cannot be reached, the copy that
 * was taken before has to do. The hash lies beside the copy.
 */
async function fetchCheckpoint(
  services: RunServices,
  run: RunRecord,
  artifact: Artifact | KeptCheckpoint,
  path: string,
  signal: AbortSignal | undefined,
  most: number | undefined,
): Promise<number> {
  const here = (await stat(path).catch(() => undefined))?.size;
  const [rank0] = run.ranks;
  const missing = (): RinglabError =>
    new RinglabError('nothing_to_export', { artifact }, { where: run.name });
  if (rank0 === undefined || rank0.directory === '') throw missing();
  const remote = `${rank0.directory}/${artifact}`;
  let session: SshSession;
  try {
    session = await services.reach.session(run.lab, rank0.nodeId, signal);
  } catch (error) {
    if (here !== undefined && !isCancelled(error)) return here;
    throw error;
  }
  const said = await session.exec(
    `[ -f ${shellQuote(remote)} ] || exit 3; sha256sum < ${shellQuote(remote)}`,
    {
      signal,
      timeoutMs: 120_000,
    },
  );
  if (said.code === 3) {
    if (here !== undefined) return here;
    throw missing();
  }
  const hash = said.stdout.trim().split(/\s/)[0] ?? '';
  const known = await readFile(`${path}.sha256`, 'utf8').catch(() => '');
  if (here !== undefined && hash !== '' && known.trim() === hash) return here;
  const { bytes } = await session.download(remote, path, { signal, most });
  // Written after the file: a copy without its hash is fetched again.
  await writeText(`${path}.sha256`, `${hash}\n`);
  return bytes;
}

/** After a run has ended: takes its checkpoints home where they are not too large. Failing is no failure of the run. */
export async function fetchCheckpoints(
  services: RunServices,
  run: RunRecord,
  signal: AbortSignal,
): Promise<void> {
  const [rank0] = run.ranks;
  if (rank0 === undefined || rank0.directory === '') return;
  const session = await services.reach.session(run.lab, rank0.nodeId, signal);
  for (const artifact of ['model_best.pth.tar', 'checkpoint.pth.tar'] as const) {
    const remote = shellQuote(`${rank0.directory}/${artifact}`);
    const size = await session.exec(`[ -f ${remote} ] && wc -c <${remote}`, { signal, brief: true });
    if (size.code !== 0 || Number(size.stdout) > services.settings.fetchBytes) continue;
    await makeArtifact(services, run, artifact, signal, 'en', services.settings.fetchBytes);
  }
}
