/** Words of limits that the person wants to be told of. Owned by src/renderer/runs. */
export const watch = {
  title: 'Tell me when…',
  text: 'A message in the window and, where allowed, on the desktop; and a mark in the charts. Once a run, also for the run that is under way.',
  value: 'Value',
  passes: 'Is',
  above: 'at or above',
  below: 'at or below',
  limit: 'Limit',
  noNumber: 'A number',
  add: 'Add',
  remove: 'No longer: {{watch}}',
  passed: '{{name}}: a limit is passed',
  of: {
    top1: 'Validation top-1',
    validationLoss: 'Validation loss',
    loss: 'Loss of a step',
    temperature: 'Temperature of a GPU',
  },
} as const;
