/** `ringlab rejoin RUN`: takes the lost ranks of a run in again, which goes on without them, on their nodes or on others. */
import { setTimeout as sleep } from 'node:timers/promises';
import { notFound } from '../../../../shared/base/errors.ts';
import type { LabDocument } from '../../../../shared/lab/lab.ts';
import type { WantedReplacement } from '../../../../shared/run/recovery.ts';
import { isEnded, isUnderWay, type RunRecord } from '../../../../shared/run/run.ts';
import { findRun } from '../find-run.ts';
import { describeRun, sayError } from '../run-result.ts';
import { withSession, type Session, type SessionOptions } from '../session.ts';

const lookEvery = 500;

/** Names or ids of a lost node and of the one that takes its place. */
export interface NamedReplacement {
  readonly lost: string;
  readonly by: string;
}

/**
 * `LOST=NEW`; undefined where it is something else. Of several signs the first one separates: a name that has one is given by its id.
 */
export function namedReplacement(word: string): NamedReplacement | undefined {
  const at = word.indexOf('=');
  const [lost, by] = [word.slice(0, at).trim(), word.slice(at + 1).trim()];
  return at < 0 || lost === '' || by === '' ? undefined : { lost, by };
}

const idIn = ({ name, nodes }: LabDocument, word: string): string => {
  const found = nodes.find(({ id }) => id === word) ?? nodes.find((node) => node.name === word);
  if (found === undefined) throw notFound('node', word, name);
  return found.id;
};

/** @throws `not_found` for a node that the run, or the drawing, does not have */
export const wantedReplacements = (
  named: readonly NamedReplacement[],
  run: LabDocument,
  drawn: LabDocument,
): WantedReplacement[] => named.map(({ lost, by }) => ({ nodeId: idIn(run, lost), by: idIn(drawn, by) }));

/**
 * The drawing with its new nodes alone: a rejoin sends files of this computer to no others.
 * @throws `not_found` for a node that the drawing does not have
 */
export function withNewNodes(drawn: LabDocument, named: readonly NamedReplacement[]): LabDocument {
  const ids = new Set(named.map(({ by }) => idIn(drawn, by)));
  return { ...drawn, nodes: drawn.nodes.filter(({ id }) => ids.has(id)) };
}

/**
 * @param drawing has the new nodes: a lab file's; default: the lab as it is stored here
 * @returns 0 where all ranks have started again, 1 where the run has ended; an error where no rank was lost, or a node cannot be
 * prepared
 */
export async function rejoinCommand(
  word: string,
  named: readonly NamedReplacement[],
  drawing: LabDocument | undefined,
  options: SessionOptions,
): Promise<number> {
  const rejoin = rejoining(word, named, drawing);
  return await withSession(options, async (session, again) => {
    const run = await rejoin(session, again);
    sayError(run);
    process.stdout.write(`${JSON.stringify(await describeRun(session.api, run))}\n`);
    return isEnded(run.state) && run.state !== 'finished' ? 1 : 0;
  });
}

/**
 * The work of a session, and of the next one where its app ended meanwhile (`again`): that one asks for nothing that is under way already.
 * It resolves when all ranks have started again, or the run has ended.
 */
export function rejoining(
  word: string,
  named: readonly NamedReplacement[],
  drawing: LabDocument | undefined,
): (session: Pick<Session, 'api' | 'concerns'>, again: boolean) => Promise<RunRecord> {
  let first: Pick<RunRecord, 'id' | 'labId' | 'attempt'> | undefined;
  return async (session, again) => {
    const { api } = session;
    // The nodes are asked how far the ranks are.
    if (again) await api.call('run.list', { asked: true });
    first ??= await findRun(session, word, ({ state }) => isUnderWay(state));
    const { id: runId, labId, attempt } = first;
    session.concerns(labId);
    const ask = async (): Promise<void> => {
      if (named.length === 0) return void (await api.call('run.rejoin', { runId }));
      const lab = drawing ?? (await api.call('lab.open', { labId })).lab;
      const replace = wantedReplacements(named, (await api.call('run.get', { runId })).lab, lab);
      await api.call('run.rejoin', { runId, replace, lab });
    };
    if (!again) await ask();
    let isAsked = !again;
    // This command may be the only Ringlab that runs: it starts them again.
    for (;;) {
      const run = await api.call('run.get', { runId });
      const isRunning = run.state === 'running';
      if (isEnded(run.state) || (isRunning && run.attempt > attempt)) return run;
      // The other app ended before it had recorded the wish.
      if (!isAsked && isRunning && run.recovery?.rejoins !== true) {
        await ask();
        isAsked = true;
      }
      await sleep(lookEvery);
    }
  };
}
