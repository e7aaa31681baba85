/** Texts of the code that a run had. Owned by src/renderer/runs. */
export const code = {
  title: 'The code of “{{name}}”',
  views: 'What is shown',
  files: 'Files',
  commit: 'Changes since the commit',
  run: 'Changes since another run',
  sinceCommit: 'Since the commit',
  sinceRun: 'Since another run',
  file: 'File',
  before: 'Earlier run',
  about_one: '{{count}} file, {{bytes}}, {{origin}}',
  about_other: '{{count}} files, {{bytes}}, {{origin}}',
  same: 'Nothing differs.',
  truncated: 'Too long: the end is left out.',
} as const;
