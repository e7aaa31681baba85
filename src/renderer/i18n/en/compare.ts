/** Texts of the comparison of runs. Owned by src/renderer/runs. */
export const compare = {
  title: 'Runs side by side',
  back: 'Back to all runs',
  none: 'Select two runs or more in the table to see them side by side.',
  table: 'Results and settings',
  baselineHint: 'Baseline',
  baseline: 'Use {{name}} as the baseline',
  imagesPerSecond: 'Images/s, all ranks',
  speedUp: 'Speed-up',
  efficiency: 'Scaling efficiency',
  secondsPerStep: 'Time per step',
  expected: 'Estimated before the start',
  took: 'Duration',
  bytesPerStep: 'Sent per step',
  modesApart:
    'Automatic chose different synchronisation for these runs: {{modes}}. To compare like with like, repeat one of them: a repeated run keeps its mode.',
  modesApartToo:
    'These runs differ in {{settings}}, and also in synchronisation, which was chosen automatically: {{modes}}. The results do not show the effect of {{settings}} alone. A repeated run, and a sweep, keeps one mode.',
  same: 'All settings are the same.',
  moreScalars_one: '{{count}} more scalar; its chart is above.',
  moreScalars_other: '{{count}} more scalars; their charts are above.',
  groups: 'Group runs',
  noGroups: 'No groups',
  bySeed: 'Same settings, other seed',
  groupBy: 'By {{setting}}',
  group_one: '{{name}} · {{count}} run',
  group_other: '{{name}} · {{count}} runs',
  allSeeds: 'All seeds',
  spread: '{{mean}} ± {{deviation}}',
  spreadHint:
    'Mean ± standard deviation of the runs; in the charts, their mean and the range from the lowest to the highest.',
} as const;
