import { expect, it } from 'vitest';
import { jumpHosts, maxJumpHosts, type JumpHost } from './access.ts';
import { defaultPlacement, emptyLab, LabDocument } from './lab.ts';
import { formatLab, parseLab } from './read-lab.ts';

it('a chain has at most 16 jump hosts, and one of thousands is refused without an overflow of the stack', () => {
  const hop = { host: 'j', port: 22, user: 'u', authentication: { method: 'agent' as const } };
  const through = (count: number): LabDocument => {
    let jump: JumpHost | undefined;
    for (let at = 0; at < count; at += 1) jump = jump === undefined ? hop : { ...hop, jump };
    const node = { id: 'a', name: 'A', kind: 'cpu' as const, position: { x: 0, y: 0 } };
    const access = { type: 'ssh' as const, ...hop, jump };
    return {
      ...emptyLab('lab', 'Lab'),
      nodes: [{ ...node, placement: defaultPlacement('cpu'), access }],
    };
  };
  const most = parseLab(formatLab(through(maxJumpHosts)), 'x').nodes[0]?.access;
  expect(most?.type === 'ssh' ? jumpHosts<JumpHost>(most) : []).toHaveLength(maxJumpHosts);
  for (const count of [maxJumpHosts + 1, 6000])
    expect(LabDocument.safeParse(through(count)).error?.issues).toMatchObject([
      { path: ['nodes', 0, 'access', 'jump'], message: 'jump_hosts_too_many' },
    ]);
  expect(() => parseLab(JSON.stringify(through(17)), 'x')).toThrow('more than 16 jump hosts');
  expect(() => formatLab(through(120))).toThrow();
});
