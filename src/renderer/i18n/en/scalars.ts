/** Texts of a run's scalars. Owned by src/renderer/charts. */
export const scalars = {
  title: 'Scalars',
  search: 'Find scalars',
  clear: 'Clear the search',
  found: '{{shown}} of {{count}}',
  pinned: 'Pinned',
  ungrouped: 'Without a group',
  count_one: '{{count}} chart',
  count_other: '{{count}} charts',
  log: 'Log scale',
  none: 'The script wrote no scalars: no event files, no JSON lines, and nothing that looks like a metric in its output.',
  notYet: 'A chart appears for each metric that the script writes or prints.',
} as const;
