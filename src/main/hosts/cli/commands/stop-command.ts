/** `ringlab stop RUN [--force]`: stops a run and waits until it has ended. */
import { isEnded, isUnderWay } from '../../../../shared/run/run.ts';
import { findRun } from '../find-run.ts';
import { followRun, LeftRun, watchInterrupts } from '../follow.ts';
import { describeRun, sayError } from '../run-result.ts';
import { withSession, type SessionOptions } from '../session.ts';
import { speak } from '../speak.ts';
import { inSentence } from '../../../i18n/index.ts';

/** 0 where the run has ended, now or before; 1 where it could not be stopped or the user left. */
export async function stopCommand(word: string, force: boolean, options: SessionOptions): Promise<number> {
  return await withSession(options, async (session) => {
    const { api } = session;
    const answer = async (runId: string): Promise<void> => {
      const run = await api.call('run.get', { runId });
      sayError(run);
      process.stdout.write(`${JSON.stringify(await describeRun(api, run))}\n`);
    };
    // Ranks of an app that has ended may have finished meanwhile.
    await api.call('run.list', { asked: true });
    const found = await findRun(session, word, ({ state }) => isUnderWay(state) || state === 'queued');
    const { id: runId } = found;
    session.concerns(found.labId);
    if (isEnded(found.state)) {
      process.stderr.write(
        `${speak('cli.stop.ended', { name: found.name, run: runId, state: inSentence(found.state) })}\n`,
      );
      await answer(runId);
      return 0;
    }
    if (found.state !== 'stopping' || force) await api.call('run.stop', { runId });
    if (force && found.state !== 'stopping' && found.state !== 'queued') {
      // The second call sends SIGKILL; not needed if the first has ended the run.
      const now = await api.call('run.get', { runId });
      if (now.state === 'stopping') await api.call('run.stop', { runId });
    }
    const hidden = Object.keys(found.unreachable).length;
    if (hidden > 0 && !force) process.stderr.write(`${speak('cli.stop.unreachable', { count: hidden })}\n`);
    const interrupts = watchInterrupts();
    try {
      await followRun(session, runId, interrupts, 'leave');
    } catch (error) {
      if (!(error instanceof LeftRun)) throw error;
      await answer(runId);
      return 1;
    } finally {
      interrupts.end();
    }
    await answer(runId);
    return 0;
  });
}
