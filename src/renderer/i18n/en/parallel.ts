/** Texts of the parallel-coordinates chart of runs. Owned by src/renderer/runs. */
export const parallel = {
  title: 'Parallel coordinates of the runs',
  open: 'Parallel coordinates',
  hint: 'Drag along an axis to select the runs that go through there; point at a line for its run.',
  some: 'The newest {{drawn}} of {{count}} runs are drawn; a range selects among all of them.',
  run: '{{name}}: {{values}}',
  axis: 'Range of {{name}}. Arrow keys move its lower end, Shift and arrows its upper end, Escape removes it.',
  whole: 'all',
  range: '{{from}} to {{to}}',
} as const;
