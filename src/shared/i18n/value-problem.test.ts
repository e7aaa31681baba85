import { expect, it } from 'vitest';
import type * as z from 'zod';
import { commandWord, oneLine, paragraphs } from '../base/plain-text.ts';
import { JumpChain, maxJumpHosts, type JumpHost } from '../lab/access.ts';
import { Annotations } from '../lab/annotation.ts';
import { KubernetesTarget } from '../lab/kubernetes.ts';
import { SlurmTarget } from '../lab/where.ts';
import { OutputPath } from '../run/run-outputs.ts';
import { en } from './en/index.ts';
import { valueProblem } from './value-problem.ts';

const { namespace, image, nodeSelector, tolerations } = KubernetesTarget.shape;
const note = {
  id: 'a',
  kind: 'note',
  position: { x: 0, y: 0 },
  size: { width: 100, height: 100 },
  text: '',
  colour: 'yellow',
};
const hop: JumpHost = { host: 'h', port: 22, user: 'u', authentication: { method: 'agent' } };
const chain = Array.from({ length: maxJumpHosts }).reduce<JumpHost>((jump) => ({ ...hop, jump }), hop);
const labels = Object.fromEntries(Array.from({ length: 33 }, (_, index) => [`label-${index}`, '']));

const refused: readonly (readonly [keyof typeof en.valueProblems, z.ZodType, unknown])[] = [
  ['line_break', oneLine(10), 'a\nb'],
  ['control_character', paragraphs(10), 'a\u0007'],
  ['leading_dash', commandWord(10), '-o'],
  ['annotation_id_twice', Annotations, [note, note]],
  ['object_name', namespace, 'A b'],
  ['label_key', tolerations, [{ key: 'a b' }]],
  ['label_value', nodeSelector, { a: 'b c' }],
  ['labels_too_many', nodeSelector, labels],
  ['image_name', image, 'a b'],
  ['cluster_name', SlurmTarget.shape.partition, 'a b'],
  ['backslash', OutputPath, 'a\\b'],
  ['path_outside', OutputPath, '../a'],
  ['jump_hosts_too_many', JumpChain, chain],
];

it.each(refused)('%s: a rule of ours says what is wrong in both languages', (code, schema, value) => {
  const problem = valueProblem(schema.safeParse(value).error?.issues[0]);
  expect(problem).toMatchObject({ en: en.valueProblems[code] });
  expect(typeof problem === 'string' ? problem : problem['zh-CN']).toMatch(/\p{Script=Han}/u);
});

it('has a case above for each rule of ours', () => {
  expect(refused.map(([code]) => code).sort()).toEqual(Object.keys(en.valueProblems).sort());
});

it('leaves zod’s own words as they are', () => {
  expect(valueProblem(oneLine(2).safeParse('abc').error?.issues[0])).toMatch(/^Too big/);
  expect(valueProblem(undefined)).toBe('');
  expect(valueProblem({ message: 'constructor' })).toBe('constructor');
});
