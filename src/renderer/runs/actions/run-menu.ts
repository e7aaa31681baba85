/** The entries of a run's menu, opened by its button or as a context menu. */
import type { CommandId } from '../../commands/index.ts';

export const runMenu: readonly (readonly CommandId[])[] = [
  ['resumeRun', 'rejoinRun', 'startQueued', 'leaveQueue', 'repeatRun'],
  [
    'exportModel',
    'modelTorchvision',
    'modelDdp',
    'exportCheckpoint',
    'checkpointTorchvision',
    'checkpointDdp',
  ],
  ['metricsCsv', 'metricsJson', 'report', 'runCommands', 'runCode'],
  ['editRun', 'deleteRun'],
];
