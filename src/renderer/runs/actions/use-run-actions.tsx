/** Actions on several runs, each with its undo: star, tag, archive, delete, restore. */
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import type { RequestArgs, RunSummary } from '../../../shared/contract/api.ts';
import { useApi } from '../../api/index.ts';
import { asRinglabError, dropRun, putRun, report, unmark } from '../../state/index.ts';
import { offerUndo } from '../../ui/index.ts';

type Change = Omit<RequestArgs<'run.annotate'>, 'runId'>;
type Few = Pick<RunSummary, 'id' | 'name'>;

export interface RunActionsOf {
  annotate(runId: string, change: Change): Promise<void>;
  archive(runs: readonly Few[], archived: boolean): Promise<void>;
  /** Moves to the bin without asking, since it can be undone. */
  remove(runs: readonly Few[], nodes: boolean): Promise<void>;
  restore(runs: readonly Few[]): Promise<void>;
  /** Permanently deletes runs of the bin. */
  removeForGood(runs: readonly (Few & { readonly nodes: boolean })[]): Promise<void>;
}

export function useRunActions(): RunActionsOf {
  const { t } = useTranslation();
  const api = useApi();
  return useMemo(() => {
    /** Every run is attempted; failures are reported. */
    const each = async <T extends Few>(runs: readonly T[], work: (run: T) => Promise<void>): Promise<T[]> => {
      const done: T[] = [];
      for (const run of runs) {
        try {
          await work(run);
          done.push(run);
        } catch (error) {
          report(asRinglabError(error));
        }
      }
      return done;
    };
    const names = (runs: readonly Few[]): { count: number; name: string } => ({
      count: runs.length,
      name: runs[0]?.name ?? '',
    });
    const annotate = async (runId: string, change: Change): Promise<void> => {
      try {
        putRun(await api.call('run.annotate', { runId, ...change }));
      } catch (error) {
        report(asRinglabError(error));
      }
    };
    const archive = async (runs: readonly Few[], archived: boolean): Promise<void> => {
      const done = await each(runs, async ({ id }) =>
        putRun(await api.call('run.annotate', { runId: id, archived })),
      );
      unmark(done);
      if (done.length > 0)
        offerUndo(
          t(archived ? 'runTable.archived' : 'runTable.unarchived', names(done)),
          t('runTable.undo'),
          () => void archive(done, !archived),
        );
    };
    const restore = async (runs: readonly Few[]): Promise<void> => {
      await each(runs, async ({ id }) => putRun(await api.call('run.restore', { runId: id })));
    };
    return {
      annotate,
      archive,
      restore,
      async remove(runs, nodes) {
        const done = await each(runs, async ({ id }) => {
          await api.call('run.bin', { runId: id, nodes });
          dropRun(id);
        });
        unmark(done);
        if (done.length > 0)
          offerUndo(t('runTable.binned', names(done)), t('runTable.undo'), () => void restore(done));
      },
      async removeForGood(runs) {
        await each(runs, async ({ id, nodes }) => {
          await api.call('run.delete', { runId: id, nodes });
        });
      },
    };
  }, [api, t]);
}
