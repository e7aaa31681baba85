/** For tests: what tells machines with one home apart. Each sees its own processes alone, and has its own name. */

/** Whether this process may make namespaces. */
export const canBeMachines = process.platform === 'linux' && process.getuid?.() === 0;

/** Starts the command after it as on a machine with this name. */
export const machine = (name: string): string[] => [
  'unshare',
  '--uts',
  '--pid',
  '--fork',
  '--mount-proc',
  'sh',
  '-c',
  `hostname ${name}; exec "$@"`,
  'sh',
];
