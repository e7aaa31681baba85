/** The parts of a run's report about its lab: the drawing, the links, and what the doctor said of failed ranks. */
import type { Language } from '../../../shared/base/language.ts';
import { formatNumber } from '../../../shared/i18n/quantity.ts';
import type { LabDocument, LabNode } from '../../../shared/lab/lab.ts';
import type { RunRecord } from '../../../shared/run/run.ts';
import { escapeHtml } from './chart-svg.ts';

/** Pixels of a node's card, as on the canvas. */
const card = { width: 180, height: 100 };
const margin = 30;

const middle = ({ position }: LabNode): { x: number; y: number } => ({
  x: position.x + card.width / 2,
  y: position.y + card.height / 2,
});

/** '10 Mbps, 30 ms, 1 %': delay and loss only where there are any. */
function linkNumbers(link: LabDocument['links'][number], language: Language): string {
  const number = (value: number): string => formatNumber(value, language);
  return [
    `${number(link.bandwidthMbps)} Mbps`,
    ...(link.delayMs > 0 ? [`${number(link.delayMs)} ms`] : []),
    ...(link.lossPercent > 0 ? [`${number(link.lossPercent)} %`] : []),
  ].join(', ');
}

/** The lab as it was drawn when the run started; empty without nodes. */
export function labDrawing(lab: LabDocument, label: string, language: Language): string {
  if (lab.nodes.length === 0) return '';
  const xs = lab.nodes.map(({ position }) => position.x);
  const ys = lab.nodes.map(({ position }) => position.y);
  const [left, top] = [Math.min(...xs) - margin, Math.min(...ys) - margin];
  const width = Math.max(...xs) + card.width + margin - left;
  const height = Math.max(...ys) + card.height + margin - top;
  const byId = new Map(lab.nodes.map((node) => [node.id, node]));
  const links = lab.links.flatMap((link) => {
    const [a, b] = [byId.get(link.ends[0]), byId.get(link.ends[1])];
    if (a === undefined || b === undefined) return [];
    const [from, to] = [middle(a), middle(b)];
    return [
      `<line class="link" x1="${from.x}" y1="${from.y}" x2="${to.x}" y2="${to.y}"/>`,
      `<text class="on" x="${(from.x + to.x) / 2}" y="${(from.y + to.y) / 2 - 6}">${escapeHtml(linkNumbers(link, language))}</text>`,
    ];
  });
  const nodes = lab.nodes.flatMap((node) => {
    const { x, y } = node.position;
    const host = node.access.type === 'ssh' ? node.access.host : '';
    return [
      `<rect class="card" x="${x}" y="${y}" width="${card.width}" height="${card.height}" rx="8"/>`,
      `<text class="name" x="${x + card.width / 2}" y="${y + card.height / 2}">${escapeHtml(node.name)}</text>`,
      `<text x="${x + card.width / 2}" y="${y + card.height / 2 + 20}">${escapeHtml(host)}</text>`,
    ];
  });
  // A drawing is never larger than on the screen at its own size.
  return `<svg class="drawing" role="img" aria-label="${escapeHtml(label)}" style="max-width:${width}px" viewBox="${left} ${top} ${width} ${height}">${[...links, ...nodes].join('')}</svg>`;
}

/** A row for each drawn link: its ends and its numbers. */
export function linkRows(lab: LabDocument, language: Language): readonly (readonly [string, string])[] {
  const nameOf = (id: string): string => lab.nodes.find((node) => node.id === id)?.name ?? id;
  return lab.links.map((link) => [
    `${nameOf(link.ends[0])} – ${nameOf(link.ends[1])}`,
    linkNumbers(link, language),
  ]);
}

/** A row for each failed rank whose failure was recognised: the likeliest cause, and what to do. */
export function diagnosisRows(run: RunRecord, language: Language): readonly (readonly [string, string])[] {
  return run.ranks.flatMap(({ rank, nodeName, diagnoses }) => {
    const likeliest = diagnoses?.[0];
    return likeliest === undefined
      ? []
      : [
          [
            `Rank ${rank} · ${nodeName}`,
            `${likeliest.cause[language]}\n${likeliest.remedy[language]}`,
          ] as const,
        ];
  });
}
