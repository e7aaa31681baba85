import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { outputs } from '../../renderer/i18n/en/outputs.ts';
import { reasonKey } from '../../renderer/runs/detail/collect-reason.ts';

const collect = fileURLToPath(new URL('../../../native/collect', import.meta.url));

it('has words for each reason of the collector, and no other', () => {
  const sources = readdirSync(collect, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.cpp'))
    .map((name) => readFileSync(join(collect, name), 'utf8'));
  // A reason: a text with a space, given to what reports a problem.
  const said = sources.flatMap((source) =>
    [...source.matchAll(/problem\((?:[\w.>()-]+, |"", )?"((?:[^"\\]|\\.)* (?:[^"\\]|\\.)*)"/g)].map(
      ([, text = '']) => text,
    ),
  );
  expect(said.length).toBeGreaterThan(10);
  expect(said.filter((reason) => reasonKey(reason) === undefined)).toEqual([]);
  const all = sources.join('\n');
  expect(Object.values(outputs.reasons).filter((reason) => !all.includes(`"${reason}"`))).toEqual([]);
});
