/** Texts of limits that the user is notified of. Owned by src/renderer/runs. */
export const watch = {
  title: 'Notify me when…',
  text: 'A notification in the window and, where allowed, on the desktop, and a mark in the charts. Once per run; the current run counts, too.',
  value: 'Value',
  passes: 'Condition',
  above: 'at or above',
  below: 'at or below',
  limit: 'Limit',
  scalar: 'Name of the scalar',
  noNumber: 'A number',
  add: 'Add',
  remove: 'Remove: {{watch}}',
  passed: '{{name}}: limit passed',
  of: {
    top1: 'Validation top-1',
    validationLoss: 'Validation loss',
    loss: 'Loss of a step',
    temperature: 'Temperature of a GPU',
    scalar: 'A scalar of the script',
  },
} as const;
