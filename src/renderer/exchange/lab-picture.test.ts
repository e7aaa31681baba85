// @vitest-environment jsdom
import { t } from 'i18next';
import { expect, it } from 'vitest';
import { toPicture, type PictureParts } from '../../shared/drawing/picture.ts';
import type { Annotation } from '../../shared/lab/annotation.ts';
import { startI18n } from '../i18n/index.ts';
import { useWindowStore } from '../state/index.ts';
import { checkPng, pictureOf } from './lab-picture.ts';
import { defaultPlacement, emptyLab, type LabDocument, type LabNode } from '../../shared/lab/lab.ts';

const node = (id: string, name: string, more: Partial<LabNode> = {}): LabNode => ({
  ...{ id, name, kind: 'gpu', position: { x: 40 * Number(id), y: 20 } },
  ...{ placement: defaultPlacement(more.kind ?? 'gpu'), access: { type: 'local' } },
  ...more,
});
const lab: LabDocument = {
  ...emptyLab('lab', 'Two sites <&> 实验'),
  nodes: [
    node('1', 'Lyon 1', { group: 'Site A' }),
    node('2', 'Lyon-1', { group: 'Site A' }),
    node('3', 'S1', { kind: 'switch' }),
    node('4', '节点', { kind: 'cpu' }),
  ],
  links: [
    { id: 'a', ends: ['1', '3'], bandwidthMbps: 10, delayMs: 20, lossPercent: 0.5 },
    { id: 'b', ends: ['3', '2'], bandwidthMbps: 1000, delayMs: 0, lossPercent: 0 },
  ],
};

const pictureParts: PictureParts = {
  style: { background: '#fff', panel: '#fff', border: '#ccc', text: '#000', dim: '#555', font: "a, 'b'" },
  facts: () => 'very long facts that do not fit into the width of a card at all',
  noteColour: (colour) => (colour === 'yellow' ? '#b98a00' : '#2563c4'),
};

it('a picture is well-formed SVG with every node and link, whatever their names', () => {
  const { svg, width, height } = toPicture(lab, pictureParts);
  const parsed = new DOMParser().parseFromString(svg, 'image/svg+xml');
  expect(parsed.querySelector('parsererror')).toBeNull();
  expect([...parsed.querySelectorAll('text')].map((one) => one.textContent)).toEqual(
    expect.arrayContaining(['Site A', 'Lyon 1', 'S1', '节点', '10 Mbps · 20 ms · 0.5 %', '1 Gbps']),
  );
  expect(parsed.querySelector('title')?.textContent).toBe('Two sites <&> 实验');
  expect([width, height]).toEqual([400, 232]);
});

it('a picture is well-formed SVG where names hold what XML excludes', () => {
  const names = ['a\uFFFF', 'b\uFFFE', 'c\uD800', '\uDC00d', 'e 𝄞'];
  const nodes = names.map((name, index) => node(`${index}`, name));
  const { svg } = toPicture({ ...lab, name: names.join(''), nodes, links: [] }, pictureParts);
  const parsed = new DOMParser().parseFromString(svg, 'image/svg+xml');
  expect(parsed.querySelector('parsererror')).toBeNull();
  const said = [...parsed.querySelectorAll('text')].map((one) => one.textContent);
  expect(said).toEqual(expect.arrayContaining(['a�', 'b�', 'c�', '�d', 'e 𝄞']));
  // The parser of the tests is laxer than browsers.
  expect(svg).not.toMatch(/[\uFFFE\uFFFF]|(?:[\uD800-\uDBFF](?![\uDC00-\uDFFF]))/);
});

it('a PNG that would show nothing is refused, with the name of what lies far out', async () => {
  await startI18n('en');
  const far = (x: number, y: number): LabDocument => ({
    ...lab,
    nodes: [...lab.nodes, node('9', 'N 9', { position: { x, y } })],
  });
  const check = (given: LabDocument): void => checkPng(given, toPicture(given, pictureParts), t);
  for (const at of [9e6, 60_000])
    for (const given of [far(at, 0), far(0, -at), far(at, at)])
      expect(() => check(given)).toThrow(
        expect.objectContaining({
          code: 'picture_too_long',
          params: expect.objectContaining({ name: 'N 9' }) as object,
        }) as Error,
      );
  expect(() => check(far(20_000, 0))).not.toThrow();
  const note: Annotation = {
    ...{ id: 'a-1', kind: 'note', position: { x: 9e6, y: 0 }, colour: 'yellow' },
    ...{ size: { width: 120, height: 48 }, text: '' },
  };
  expect(() => check({ ...lab, annotations: [note] })).toThrow(
    expect.objectContaining({ params: expect.objectContaining({ name: 'Note' }) as object }) as Error,
  );
});

it('a picture of the window says of a machine what its card says', async () => {
  await startI18n('en');
  useWindowStore.setState({
    info: {
      version: '1',
      host: 'web',
      platform: 'linux',
      dataFolder: '/d',
      secrets: 'memory',
      replaced: false,
      hardware: { cpus: 2, memoryBytes: 25e9, gpus: [] },
    },
  });
  const remote: LabNode['access'] = {
    type: 'ssh',
    host: 'h',
    port: 22,
    user: 'u',
    authentication: { method: 'agent' },
  };
  const { svg } = pictureOf({ ...lab, nodes: [node('1', 'a'), node('2', 'b', { access: remote })] }, t);
  const parsed = new DOMParser().parseFromString(svg, 'image/svg+xml');
  const said = [...parsed.querySelectorAll('text')].map((one) => one.textContent);
  expect(said).toContain('no GPU · 2 CPU · 25 GB');
  expect(said.some((text) => text.startsWith('1 × RTX 3080'))).toBe(true);
});

it('notes and areas are in the picture, areas behind the nodes, their texts wrapped to fit', () => {
  const note: Annotation = {
    id: 'a-1',
    kind: 'note',
    position: { x: 700, y: 0 },
    size: { width: 120, height: 80 },
    text: 'two <b>\nwords that need more than one line',
    colour: 'yellow',
  };
  const area: Annotation = { ...note, id: 'a-2', kind: 'ellipse', text: '机房', colour: 'blue' };
  const { svg, width } = toPicture({ ...lab, annotations: [note, area] }, pictureParts);
  const parsed = new DOMParser().parseFromString(svg, 'image/svg+xml');
  expect(parsed.querySelector('parsererror')).toBeNull();
  const said = [...parsed.querySelectorAll('text')].map((one) => one.textContent);
  expect(said[0]).toBe('机房');
  const words = said.slice(said.indexOf('two <b>'));
  expect(words.slice(1).join(' ')).toBe('words that need more than one line');
  expect(words.length).toBeGreaterThan(2);
  expect(svg.indexOf('<ellipse')).toBeLessThan(svg.indexOf('Lyon 1'));
  expect(svg.indexOf('two &lt;b&gt;')).toBeGreaterThan(svg.indexOf('Lyon 1'));
  expect(width).toBe(880);
});

it('a note that is longer than its box says so in the picture', () => {
  const note: Annotation = {
    ...{ id: 'a-1', kind: 'note', position: { x: 700, y: 0 }, colour: 'yellow' },
    ...{ size: { width: 120, height: 48 }, text: 'one two three four five six seven eight nine' },
  };
  const { svg } = toPicture({ ...emptyLab('lab', 'Notes'), annotations: [note] }, pictureParts);
  const parsed = new DOMParser().parseFromString(svg, 'image/svg+xml');
  const lines = [...parsed.querySelectorAll('text')].map((one) => one.textContent);
  expect(lines).toHaveLength(2);
  expect(lines[1]).toMatch(/[a-z]…$/);
});
