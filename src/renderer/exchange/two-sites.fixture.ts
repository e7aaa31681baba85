/** For tests: a lab of two sites, with names and a link that files of other programs cannot hold as they are. */
import { defaultPlacement, emptyLab, type LabDocument, type LabNode } from '../../shared/lab/lab.ts';

export const node = (id: string, name: string, more: Partial<LabNode> = {}): LabNode => ({
  id,
  name,
  kind: 'gpu',
  position: { x: 40 * Number(id), y: 20 },
  placement: defaultPlacement(more.kind ?? 'gpu'),
  access: { type: 'local' },
  ...more,
});
export const lab: LabDocument = {
  ...emptyLab('lab', 'Two sites <&> 实验'),
  nodes: [
    node('1', 'Lyon 1', { group: 'Site A' }),
    node('2', 'Lyon-1', {
      group: 'Site A',
      access: {
        type: 'ssh',
        host: 'gpu2.example',
        port: 2222,
        user: 'ada',
        authentication: { method: 'key', keyFile: '~/.ssh/id_lab' },
        jump: { host: 'bastion', port: 22, user: 'eve', authentication: { method: 'agent' } },
      },
    }),
    node('3', 'S1', { kind: 'switch' }),
    node('4', '节点', { kind: 'cpu' }),
  ],
  links: [
    { id: 'a', ends: ['1', '3'], bandwidthMbps: 10, delayMs: 20, jitterMs: 3, lossPercent: 0.5 },
    { id: 'b', ends: ['3', '2'], bandwidthMbps: 1000, delayMs: 0, lossPercent: 0 },
  ],
};
