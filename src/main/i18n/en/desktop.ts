/** Words of desktop notifications and of the desktop's host: values that an experiment sets limits for. */
export const values = {
  top1: 'Validation top-1',
  validationLoss: 'Validation loss',
  loss: 'Loss',
  temperature: 'GPU',
  scalar: 'A scalar of the script',
} as const;

/** Where the window would have no sandbox. */
export const sandbox = {
  root: {
    message: 'Run by root, the window has no sandbox.',
    hint: 'Start Ringlab as an ordinary user.',
  },
  none: {
    message: 'Ringlab does not start its window without a sandbox.',
    hint: 'This system lets no program make user namespaces. Install the .deb package, or use `ringlab serve` and a browser; {{variable}}=1 accepts the risk.',
  },
} as const;

/** The question to a user who closes the app during a run. */
export const closing = {
  title: 'Training is under way',
  keep: 'Keep it running',
  stop: 'Stop it at a checkpoint',
  stay: 'Cancel',
} as const;

/** What a browser shows in place of the window. */
export const web = {
  nothing: 'There is nothing here.',
  usedDownload: 'This download was used already or is too old: export it again.',
} as const;
