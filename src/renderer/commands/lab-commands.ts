/** Commands for labs and runs. */
import { notifications } from '@mantine/notifications';
import {
  IconCopy,
  IconFilePlus,
  IconPlayerPlayFilled,
  IconPlayerStopFilled,
  IconPlaylistAdd,
  IconTrash,
} from '@tabler/icons-react';
import { isEnded } from '../../shared/run/run.ts';
import {
  activeRunId,
  asRinglabError,
  queueExperiment,
  report,
  runExperiment,
  useLabStore,
  useRunStore,
} from '../state/index.ts';
import { askBeforeDestroying, shownName } from '../ui/index.ts';
import type { Command } from './command.ts';

const isOpen = (): boolean => useLabStore.getState().lab !== undefined;

function isFree(): boolean {
  const { lab } = useLabStore.getState();
  return lab !== undefined && activeRunId(useRunStore.getState(), lab.id) === undefined;
}

/** The active runs of the open lab. */
function underWay(): string[] {
  const labId = useLabStore.getState().lab?.id;
  return Object.values(useRunStore.getState().summaries)
    .filter((run) => run.labId === labId && run.state !== 'draft' && !isEnded(run.state))
    .map((run) => run.id);
}

export const labCommands: readonly Command[] = [
  {
    id: 'runExperiment',
    section: 'lab',
    Icon: IconPlayerPlayFilled,
    keys: 'Mod+Enter',
    isPossible: isFree,
    run: ({ api }) => void runExperiment(api),
  },
  {
    id: 'queueExperiment',
    section: 'lab',
    Icon: IconPlaylistAdd,
    keys: 'Mod+Shift+Enter',
    isPossible: () => isOpen() && !isFree(),
    run: ({ api, t }) =>
      void queueExperiment(api).then((isQueued) => {
        if (isQueued) notifications.show({ color: 'petrol', message: t('runTable.queued', { count: 1 }) });
      }),
  },
  {
    id: 'stopRun',
    section: 'lab',
    Icon: IconPlayerStopFilled,
    isPossible: () => underWay().length > 0,
    run({ api }) {
      for (const runId of underWay()) {
        api.call('run.stop', { runId }).catch((error: unknown) => report(asRinglabError(error)));
      }
    },
  },
  { id: 'newLab', section: 'lab', Icon: IconFilePlus, run: ({ labs }) => labs.create() },
  {
    id: 'duplicateLab',
    section: 'lab',
    Icon: IconCopy,
    isPossible: isOpen,
    run({ labs, t }) {
      const { lab } = useLabStore.getState();
      if (lab !== undefined) labs.duplicate(lab.id, t('shell.menu.copyName', { name: lab.name }));
    },
  },
  {
    id: 'deleteLab',
    section: 'lab',
    Icon: IconTrash,
    isDestructive: true,
    isPossible: isOpen,
    run({ labs, t }) {
      const { lab } = useLabStore.getState();
      if (lab === undefined) return;
      askBeforeDestroying(
        {
          title: t('shell.deleteLab.title'),
          text: t('shell.deleteLab.text', { name: shownName(lab.name, t) }),
          confirm: t('shell.deleteLab.confirm'),
          cancel: t('shell.cancel'),
        },
        () => labs.remove(lab.id),
      );
    },
  },
];
