/** Commands for the shown run, and for all runs of the lab. */
import {
  IconAdjustments,
  IconBell,
  IconBraces,
  IconChartDots3,
  IconChartLine,
  IconChecklist,
  IconDatabase,
  IconDatabaseExport,
  IconDownload,
  IconFileSpreadsheet,
  IconFileCode,
  IconFileText,
  IconGauge,
  IconPencil,
  IconPlayerPlay,
  IconPlayerStop,
  IconRepeat,
  IconReport,
  IconTable,
  IconTerminal2,
  IconTrash,
  IconUsers,
  IconUsersPlus,
  type Icon,
} from '@tabler/icons-react';
import type { RunSummary } from '../../shared/contract/api.ts';
import { canRejoin } from '../../shared/run/membership.ts';
import type { WantedReplacement } from '../../shared/run/recovery.ts';
import { canResume, isEnded, type ExportedFile } from '../../shared/run/run.ts';
import { takeRunFile } from '../exchange/index.ts';
import {
  asRinglabError,
  compare,
  putRun,
  report,
  saveNow,
  shownRunId,
  showRunDialog,
  showRunPage,
  showRunsView,
  useLabStore,
  useRunStore,
  useRunsView,
  type RunPage,
} from '../state/index.ts';
import { showTerminals } from '../terminal/index.ts';
import type { Command, CommandContext, CommandId } from './command.ts';

const openLabId = (): string | undefined => useLabStore.getState().lab?.id;

/** The run that the window shows. */
function shown(): RunSummary | undefined {
  const runs = useRunStore.getState();
  const runId = shownRunId(runs, openLabId());
  return runId === undefined ? undefined : runs.summaries[runId];
}
const when = (test: (run: RunSummary) => boolean) => (): boolean => {
  const run = shown();
  return run !== undefined && test(run);
};
const always = (): boolean => true;
/** An own script's files have names of its own: they are listed under Checkpoints. */
const isNative = ({ experiment }: RunSummary): boolean => experiment.script === undefined;
const hasModel = (run: RunSummary): boolean =>
  isNative(run) && (run.epochsCompleted > 0 || typeof run.bestTop1 === 'number');

/** A command that does something with the shown run. */
const forRun = (
  id: CommandId,
  CommandIcon: Icon,
  test: (run: RunSummary) => boolean,
  act: (run: RunSummary, context: CommandContext) => void,
): Command => ({
  id,
  section: 'run',
  Icon: CommandIcon,
  isPossible: when(test),
  run(context) {
    const run = shown();
    if (run !== undefined) act(run, context);
  },
});
const exporting = (
  id: CommandId,
  CommandIcon: Icon,
  file: ExportedFile,
  test: (run: RunSummary) => boolean,
): Command => forRun(id, CommandIcon, test, (run, context) => void takeRunFile(context, run.id, file));

/** Resumes a run, or starts a queued one; a failure is reported. @param alone others that are held in the queue stay held */
export async function resume(
  run: { readonly id: string },
  { api }: Pick<CommandContext, 'api'>,
  alone = false,
): Promise<void> {
  try {
    const { runId } = await api.call('run.resume', { runId: run.id, ...(alone && { alone }) });
    putRun(await api.call('run.get', { runId }));
  } catch (error) {
    report(asRinglabError(error));
  }
}

/**
 * Takes a run's lost ranks in again: resolves when the others are being stopped; a failure is reported.
 * @param replace nodes of the drawing in the places of lost ones
 */
export async function rejoin(
  run: { readonly id: string },
  { api }: Pick<CommandContext, 'api'>,
  replace?: WantedReplacement[],
): Promise<void> {
  try {
    if (replace !== undefined) await saveNow(api);
    await api.call('run.rejoin', { runId: run.id, replace });
  } catch (error) {
    report(asRinglabError(error));
  }
}

const page = (id: CommandId, CommandIcon: Icon, name: RunPage): Command =>
  forRun(id, CommandIcon, always, (run) => {
    showTerminals(false);
    showRunsView('run');
    showRunPage(run.id, name);
  });

const runsOfLab = (): number =>
  Object.values(useRunStore.getState().summaries).filter(({ labId }) => labId === openLabId()).length;

export const runCommands: readonly Command[] = [
  forRun(
    'resumeRun',
    IconPlayerPlay,
    ({ state }) => canResume(state),
    (run, context) => void resume(run, context),
  ),
  forRun(
    'rejoinRun',
    IconUsersPlus,
    (run) => canRejoin(run, run.experiment, run.worldSize),
    (run, context) => void rejoin(run, context),
  ),
  forRun(
    'startQueued',
    IconPlayerPlay,
    ({ state }) => state === 'queued',
    (run, context) => void resume(run, context),
  ),
  forRun(
    'leaveQueue',
    IconPlayerStop,
    ({ state }) => state === 'queued',
    (run, { api }) => {
      api.call('run.stop', { runId: run.id }).catch((error: unknown) => report(asRinglabError(error)));
    },
  ),
  exporting('exportModel', IconDownload, 'model_best.pth.tar', hasModel),
  exporting('exportCheckpoint', IconDatabaseExport, 'checkpoint.pth.tar', isNative),
  exporting('modelTorchvision', IconDatabaseExport, 'model_best.torchvision.pth.tar', hasModel),
  exporting('modelDdp', IconDatabaseExport, 'model_best.ddp.pth.tar', hasModel),
  exporting('checkpointTorchvision', IconDatabaseExport, 'checkpoint.torchvision.pth.tar', hasModel),
  exporting('checkpointDdp', IconDatabaseExport, 'checkpoint.ddp.pth.tar', hasModel),
  exporting('metricsCsv', IconFileSpreadsheet, 'metrics.csv', always),
  exporting('metricsJson', IconBraces, 'metrics.json', always),
  exporting('report', IconReport, 'report.html', always),
  forRun('runCommands', IconTerminal2, always, ({ id }) => showRunDialog({ kind: 'commands', runId: id })),
  forRun(
    'runCode',
    IconFileCode,
    ({ code }) => code !== undefined,
    ({ id }) => showRunDialog({ kind: 'code', runId: id }),
  ),
  forRun('repeatRun', IconRepeat, always, ({ id }) => showRunDialog({ kind: 'repeat', runId: id })),
  forRun('editRun', IconPencil, always, ({ id }) => showRunDialog({ kind: 'edit', runId: id })),
  {
    ...forRun(
      'deleteRun',
      IconTrash,
      ({ state }) => isEnded(state) || state === 'queued',
      ({ id }) => showRunDialog({ kind: 'delete', runId: id }),
    ),
    isDestructive: true,
  },
  page('showCharts', IconChartLine, 'charts'),
  page('showUtilisation', IconGauge, 'nodes'),
  page('showRanks', IconUsers, 'ranks'),
  page('showLogs', IconFileText, 'logs'),
  page('showCheckpoints', IconDatabase, 'checkpoints'),
  page('showPreparation', IconChecklist, 'preparation'),
  {
    id: 'allRuns',
    section: 'run',
    Icon: IconTable,
    isPossible: () => runsOfLab() > 0,
    run() {
      showTerminals(false);
      showRunsView('table');
    },
  },
  {
    id: 'compareRuns',
    section: 'run',
    Icon: IconChartDots3,
    isPossible: () => runsOfLab() > 1,
    run() {
      const { marked, compared } = useRunsView.getState();
      showTerminals(false);
      if (marked.length > 1) compare(marked);
      // Without marks there is nothing to compare yet: the table is where runs are marked.
      else showRunsView(compared.length > 1 ? 'compare' : 'table');
    },
  },
  {
    id: 'sweep',
    section: 'run',
    Icon: IconAdjustments,
    isPossible: () => openLabId() !== undefined,
    run() {
      const labId = openLabId();
      if (labId !== undefined) showRunDialog({ kind: 'sweep', labId });
    },
  },
  {
    id: 'watch',
    section: 'run',
    Icon: IconBell,
    isPossible: () => openLabId() !== undefined,
    run: () => showRunDialog({ kind: 'watch' }),
  },
];
