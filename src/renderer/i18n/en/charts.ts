/** Words of what charts offer beside their curves. Owned by src/renderer/charts. */
export const charts = {
  mean: 'Mean of {{count}} ranks',
  band: 'Band over all ranks',
  marks: 'Events',
  mark: {
    checkpoint: 'Checkpoint after epoch {{what}}',
    best: 'Best so far, after epoch {{what}}',
    resume: 'Training went on here{{what}}',
    lost: '{{what}} is out of reach',
    back: '{{what}} is back',
    link: 'Link {{what}}',
    warning: 'Warning: {{what}}',
    error: 'Error: {{what}}',
  },
  moreMarks: 'and {{count}} more',
  pin: 'Pinned point',
  pinned: 'Pinned: {{note}}',
  pinNote: 'What is to be remembered here',
  unpin: 'Take the pin away',
  keep: 'Keep',
  export: 'Export {{chart}}',
  as: { png: 'Picture (PNG)', svg: 'Drawing (SVG)', csv: 'Points (CSV)' },
} as const;
