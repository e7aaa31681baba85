import { expect, test } from 'vitest';
import { describePlan } from './prepare-command.ts';

const both = (text: string) => ({ en: text, 'zh-CN': text });

test('a dry run prints complete commands, and unknown parts as comments only', () => {
  const script = Array.from({ length: 60 }, (_, line) => `echo ${line} ${'x'.repeat(200)}`).join('\n');
  const lines = describePlan({
    nodeId: 'n0',
    nodeName: 'anna',
    steps: [
      { id: 'facts', state: 'done', summary: both('Debian'), changes: [] },
      {
        id: 'trainer',
        state: 'change',
        summary: both(''),
        changes: [
          { what: both('Compile'), command: script },
          { what: both('Depends on the step before'), command: '' },
        ],
      },
    ],
  });
  expect(lines.join('\n')).toBe(
    `# anna\n## facts: Debian\n## trainer: would be done\n# Compile\n${script}\n# Depends on the step before`,
  );
});
