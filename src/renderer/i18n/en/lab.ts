/** Texts of the lab document: kinds and states. */

export const lab = {
  kind: { gpu: 'GPU node', cpu: 'CPU node', switch: 'Switch' },
  nodeState: {
    idle: 'Not prepared',
    connecting: 'Connecting',
    preparing: 'Preparing',
    ready: 'Ready',
    starting: 'Starting',
    running: 'Running',
    waiting: 'Waiting',
    unreachable: 'Unreachable',
    done: 'Done',
    stopped: 'Stopped',
    failed: 'Failed',
    lost: 'Lost',
  },
  rankState: {
    pending: 'waiting',
    starting: 'starting',
    running: 'running',
    unreachable: 'unreachable',
    done: 'done',
    stopped: 'stopped',
    failed: 'failed',
    lost: 'lost',
  },
} as const;
