/**
 * `ringlab export RUN [ARTIFACT] --out DIR`: saves a run's files, downloaded from its nodes where these are
 * reachable.
 */
import { resolve } from 'node:path';
import { Artifact, type ExportedFile } from '../../../../shared/run/run.ts';
import { findRun } from '../find-run.ts';
import { takeHome } from '../run-result.ts';
import { withSession, type SessionOptions } from '../session.ts';

/** Prints each file's path, one a line, and at the end one JSON object. 0 where something was saved. */
export async function exportRun(
  word: string,
  artifact: ExportedFile | undefined,
  out: string,
  options: SessionOptions,
): Promise<number> {
  return await withSession(options, async (session) => {
    const found = await findRun(session, word);
    session.concerns(found.labId);
    const wanted = artifact === undefined ? Artifact.options : [artifact];
    const taken = await takeHome(session.api, found.id, out, { artifacts: wanted });
    for (const path of taken.values()) process.stdout.write(`${path}\n`);
    process.stdout.write(`${JSON.stringify({ run: found.id, files: Object.fromEntries(taken) })}\n`);
    return taken.size > 0 ? 0 : 1;
  });
}

/**
 * `ringlab export RUN code DIR`: the exact code that an own script's run had, in a new or empty folder. Prints one
 * JSON object.
 */
export async function exportCode(word: string, out: string, options: SessionOptions): Promise<number> {
  return await withSession(options, async (session) => {
    const found = await findRun(session, word);
    session.concerns(found.labId);
    const to = resolve(out);
    await session.api.call('run.takeOutCode', { runId: found.id, to });
    process.stdout.write(`${JSON.stringify({ run: found.id, code: to })}\n`);
    return 0;
  });
}
