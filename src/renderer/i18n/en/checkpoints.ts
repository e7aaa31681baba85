/** Words of a run's checkpoints. Owned by src/renderer/runs. */
export const checkpoints = {
  none: 'The first checkpoint is written after the first epoch.',
  epoch: 'Epochs complete',
  top1: 'Top-1 of the validation',
  written: 'Written',
  size: 'Size',
  stall: 'Training stood still',
  where: 'Where it lies',
  actions: 'What can be done',
  best: 'best so far',
  on: '{{files}} on {{node}}',
  overwritten: 'a later one was written over it',
  export: 'Export',
  exportFile: 'Export {{file}}',
  verify: 'Verify',
  verifyFile: 'Verify {{file}}',
  resume: 'Go on from here',
  resumeFile: 'Go on from {{file}}',
  notAll:
    'The ranks keep what belongs to the newest checkpoint alone: with several ranks only that can be gone on from.',
  whole: '{{file}} is whole.',
  found:
    '{{architecture}}, {{parameters}} parameters in {{tensors}} tensors; all {{entries}} files in it have their checksum.',
} as const;
