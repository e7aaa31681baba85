/** Names of a run's states, texts of desktop notifications, and names of the figures that runs are compared by. */
export const runStates = {
  draft: 'Draft',
  queued: 'Queued',
  preparing: 'Preparing',
  starting: 'Starting',
  running: 'Running',
  waiting: 'Waiting',
  stopping: 'Stopping',
  stopped: 'Stopped',
  interrupted: 'Interrupted',
  finished: 'Finished',
  failed: 'Failed',
  lost: 'Lost',
} as const;

export const runNotices = {
  finished: 'The run has finished.',
  failed: 'The run has failed. Open it to see why.',
  interrupted: 'The run was interrupted. It can be resumed.',
  lost: 'The run is lost: its nodes no longer know it.',
  stopped: 'The run has stopped.',
  waiting: 'A node is unreachable. The run continues.',
  unreachable: 'Unreachable: {{nodes, joined}}. The run continues.',
} as const;

export const runFacts = {
  data: 'Data',
  imageSize: 'Image size',
  nodes: 'Nodes',
  worldSize: 'Ranks',
  script: 'Script',
  arguments: 'Arguments',
  code: 'Code',
  runtime: 'Runtime',
} as const;
