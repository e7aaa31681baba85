/** Copies what an own script wrote from its nodes into a folder of this computer. */
import { rm } from 'node:fs/promises';
import { basename, join, posix } from 'node:path';
import type { LabApi } from '../../../shared/contract/api.ts';
import { describeError } from '../../../shared/i18n/error-texts.ts';
import type { WrittenFile } from '../../../shared/run/written-file.ts';
import { broughtFiles, broughtRecord, type Brought } from './brought-files.ts';
import { moveTo } from './platform.ts';
import { isInRepository, isRepositoryHead } from './repository-names.ts';
import { isOver, namesBeside, reportMissing, scriptArtifacts, takeHome } from './run-result.ts';
import { language, speak } from './speak.ts';

/** One of a script's files, and where it belongs below the results folder. */
interface Coming {
  readonly file: Pick<WrittenFile, 'rank' | 'path'>;
  readonly place: string;
}

/** Says how many files something applies to, and one of them. */
function sayOf(key: 'cli.writtenRepository' | 'cli.writtenKept', places: readonly string[]): void {
  const [path] = places;
  if (path !== undefined) process.stderr.write(`${speak(key, { count: places.length, path })}\n`);
}

/**
 * Copies what an own script wrote into `out`: that of the first node as it lies below its code, that of others below
 * `rank-N/`, N a node's first rank. Ringlab's own files lie beside it, under other names where the script uses theirs. Names are a
 * node's claims: parts of repositories are left out, and no file is replaced that Ringlab did not bring. Returns
 * the paths of the script's; those that are there already where the signal ends it.
 */
export async function takeScriptHome(
  api: Pick<LabApi, 'call'>,
  runId: string,
  out: string,
  signal?: AbortSignal,
): Promise<string[]> {
  const { files, isWhole, unreached } = await api
    .call('run.written', { runId }, signal)
    .catch((error: unknown) => {
      reportMissing(error, signal);
      return { files: [], isWhole: true, unreached: [] };
    });
  for (const error of unreached)
    process.stderr.write(
      `${speak('cli.writtenUnreached', { reason: describeError(error, language).message })}\n`,
    );
  if (!isWhole) process.stderr.write(`${speak('cli.writtenCut', { count: files.length })}\n`);
  const free = namesBeside(files.filter(({ rank }) => rank === 0).map(({ path }) => path));
  const all = files.map((file): Coming => {
    const path = posix.normalize(file.path);
    return { file, place: file.rank === 0 ? path : `${free(`rank-${file.rank}`)}/${path}` };
  });
  // The record of what was brought is Ringlab's.
  const isLeft = ({ place }: Coming): boolean =>
    isInRepository(place) || place.toLowerCase() === broughtRecord;
  const coming = all.filter((one) => !isLeft(one));
  const brought = await broughtFiles(
    out,
    coming.map(({ place }) => place),
  );
  const own = await takeHome(api, runId, out, { artifacts: scriptArtifacts, nameFor: free, signal });
  for (const path of own.values()) await brought.add(basename(path));
  const { taken, heads } = await takeWritten(api, runId, { out, coming, brought }, signal);
  sayOf('cli.writtenRepository', [...all.filter(isLeft).map(({ place }) => place), ...heads]);
  return taken;
}

/** @returns the paths of the copies, and the places of files that would make a folder a repository */
async function takeWritten(
  api: Pick<LabApi, 'call'>,
  runId: string,
  { out, coming, brought }: { out: string; coming: readonly Coming[]; brought: Brought },
  signal: AbortSignal | undefined,
): Promise<{ taken: string[]; heads: string[] }> {
  const [taken, heads, kept]: [string[], string[], string[]] = [[], [], []];
  for (const { file, place } of coming) {
    if (isOver(signal)) break;
    try {
      const { path } = await api.call('run.writtenFile', { runId, rank: file.rank, path: file.path }, signal);
      if (await isRepositoryHead(posix.basename(place), path)) {
        heads.push(place);
        await rm(path, { force: true });
        continue;
      }
      const free = await brought.placeFor(place);
      const name = posix.basename(free);
      taken.push((await moveTo(join(out, posix.dirname(free)), { path, name })).savedTo);
      await brought.add(free);
      if (free !== place) kept.push(place);
    } catch (error) {
      reportMissing(error, signal);
    }
  }
  sayOf('cli.writtenKept', kept);
  return { taken, heads };
}
