/** Options of `ringlab export LAB --kubernetes`, without what the command needs. */

/** As `parseArgs` wants them. */
export const kubernetesOptions = {
  kubernetes: { type: 'boolean', default: false },
  image: { type: 'string' },
  namespace: { type: 'string' },
  claim: { type: 'string' },
  'pull-secret': { type: 'string', multiple: true },
  'local-queue': { type: 'string' },
  'job-set': { type: 'boolean', default: false },
  'priority-class': { type: 'string' },
  'node-selector': { type: 'string', multiple: true },
  toleration: { type: 'string', multiple: true },
} as const;
