/** Texts of the terminals. */
export const terminal = {
  title: 'Terminals',
  on: 'Terminal on {{name}}',
  another: 'Another terminal on {{name}}',
  close: 'Close the terminal on {{name}}',
  reconnect: 'Reconnect',
  search: 'Search in the terminal',
  next: 'Next match',
  previous: 'Previous match',
  hint: 'F6 leaves the terminal',
  retryIn: 'Next try in {{seconds}} s; Enter tries at once',
  ended: 'The shell has ended with {{code}}; Enter starts another one',
  together: 'Type into all open terminals',
  typedInto: 'What you type goes into:',
  typedAlone: 'What you type goes into {{name}} alone:',
  maxAtOnce: '{{opened}} terminals were opened, not {{count}}: close some to open others.',
  state: { opening: 'connecting', open: 'connected', lost: 'connection lost', ended: 'ended' },
} as const;
