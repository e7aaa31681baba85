/** Templates: nodes and links that are inserted into the open lab. */
import { defaultPlacement, type LabLink, type LabNode, type NodeKind } from '../../shared/lab/lab.ts';
import { insertInLab, select, useLabStore } from './lab.ts';
import { insertParts, snap, type Parts } from './new-parts.ts';

export const templates = ['ring', 'machine', 'sites', 'star'] as const;
export type Template = (typeof templates)[number];

const node = (
  number: number,
  kind: NodeKind,
  x: number,
  y: number,
  more: Partial<LabNode> = {},
): LabNode => ({
  id: `t-${number}`,
  name: kind === 'switch' ? 'S1' : `N${number}`,
  kind,
  position: { x, y },
  placement: defaultPlacement(kind),
  access: { type: 'local' },
  ...more,
});
const link = (a: number, b: number, bandwidthMbps: number, delayMs = 0): LabLink => ({
  id: `t-${a}-${b}`,
  ends: [`t-${a}`, `t-${b}`],
  bandwidthMbps,
  delayMs,
  lossPercent: 0,
});

const eightGpus = (): LabNode['placement'] => ({
  ...defaultPlacement('gpu'),
  flavour: { name: 'gpu.8x', gpuModel: 'RTX 3080', gpuCount: 8 },
  cpus: 64,
  memoryGb: 512,
  diskGb: 2000,
});

const overSsh: LabNode['access'] = {
  type: 'ssh',
  host: '',
  port: 22,
  user: 'root',
  authentication: { method: 'agent' },
};

/** How the window's language calls a site. */
type SiteName = (letter: string) => string;

function partsOf(template: Template, siteName: SiteName): Parts {
  switch (template) {
    case 'ring':
      return {
        nodes: [node(1, 'gpu', 200, 0), node(2, 'gpu', 0, 240), node(3, 'gpu', 400, 240)],
        links: [link(1, 2, 10), link(2, 3, 10), link(3, 1, 10)],
      };
    case 'machine':
      // This computer is what it is: eight GPUs are another machine.
      return { nodes: [node(1, 'gpu', 0, 0, { placement: eightGpus(), access: overSsh })], links: [] };
    case 'sites': {
      const [a, b] = [{ group: siteName('A') }, { group: siteName('B') }];
      return {
        nodes: [
          node(1, 'gpu', 0, 0, a),
          node(2, 'gpu', 0, 220, a),
          node(3, 'gpu', 480, 0, b),
          node(4, 'gpu', 480, 220, b),
        ],
        links: [link(1, 2, 1000), link(3, 4, 1000), link(2, 4, 20, 30)],
      };
    }
    case 'star':
      return {
        nodes: [
          node(5, 'switch', 260, 200),
          node(1, 'gpu', 0, 0),
          node(2, 'gpu', 520, 0),
          node(3, 'gpu', 0, 400),
          node(4, 'gpu', 520, 400),
        ],
        links: [1, 2, 3, 4].map((end) => link(5, end, 100)),
      };
  }
}

/** Inserts a template into the open lab with its middle at `centre`, below existing parts. */
export function insertTemplate(
  template: Template,
  centre: { x: number; y: number },
  siteName: SiteName,
): void {
  const { lab } = useLabStore.getState();
  if (lab === undefined) return;
  const parts = partsOf(template, siteName);
  const xs = parts.nodes.map(({ position }) => position.x);
  const ys = parts.nodes.map(({ position }) => position.y);
  const lowest = Math.max(
    ...lab.nodes.map(({ position }) => position.y + 180),
    // Below an area, too, and the frame of a group of the template.
    ...(lab.annotations ?? []).map(({ position, size }) => position.y + size.height + 80),
  );
  const at = {
    x: centre.x - (Math.max(...xs) + 180) / 2,
    y: lowest === Number.NEGATIVE_INFINITY ? centre.y - (Math.max(...ys) + 100) / 2 : lowest,
  };
  const inserted = insertParts(lab, parts, snap({ x: at.x - Math.min(...xs), y: at.y - Math.min(...ys) }));
  if (insertInLab(inserted.edit)) select(inserted.selection);
}
