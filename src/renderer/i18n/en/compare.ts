/** Words of runs side by side. Owned by src/renderer/runs. */
export const compare = {
  title: 'Runs side by side',
  back: 'Back to all runs',
  none: 'Mark two runs or more in the table to see them side by side.',
  table: 'Results and settings',
  baselineHint: 'Baseline',
  baseline: 'Measure the others against {{name}}',
  imagesPerSecond: 'Images/s, all ranks',
  speedUp: 'Speed-up',
  efficiency: 'Scaling efficiency',
  secondsPerStep: 'A step takes',
  expected: 'Expected before it started',
  took: 'The run took',
  bytesPerStep: 'Sent a step',
  same: 'All settings are the same.',
} as const;
