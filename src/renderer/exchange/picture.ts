/** The drawing as a picture: SVG made from the lab itself, sharp at any size, and PNG from it. */
import type { LabDocument, LabLink, LabNode } from '../../shared/lab.ts';

export interface PictureStyle {
  readonly background: string;
  readonly panel: string;
  readonly border: string;
  readonly text: string;
  readonly dim: string;
  readonly font: string;
}
export interface PictureParts {
  readonly style: PictureStyle;
  readonly card: { readonly width: number; readonly height: number };
  /** '1 × RTX 3080 · 4 CPU · 8 GB', or the kind. */
  facts(node: LabNode): string;
  /** '10 Mbps · 20 ms' */
  label(link: LabLink): string;
  /** The colour of the node that stands at `index`. */
  colour(index: number): string;
  readonly frames: readonly {
    readonly group: string;
    readonly x: number;
    readonly y: number;
    readonly width: number;
    readonly height: number;
  }[];
}

const margin = 40;
const escape = (text: string): string =>
  text.replace(
    /[<>&"']/g,
    (letter) => ({ '<': '&lt;', '>': '&gt;', '&': '&amp;', '"': '&quot;' })[letter] ?? '&#39;',
  );
/** As wide as it is drawn at this size, near enough: Chinese letters are twice as wide. */
const widthOf = (text: string, size: number): number =>
  Array.from(text).reduce((sum, letter) => sum + (letter > '\u2e7f' ? size : size * 0.56), 0);
function fitted(text: string, size: number, room: number): string {
  if (widthOf(text, size) <= room) return text;
  const letters = Array.from(text);
  while (letters.length > 1 && widthOf(`${letters.join('')}…`, size) > room) letters.pop();
  return `${letters.join('')}…`;
}

export interface Picture {
  readonly svg: string;
  readonly width: number;
  readonly height: number;
}

export function toPicture(lab: LabDocument, parts: PictureParts): Picture {
  const { style, card, frames } = parts;
  const boxes = [...lab.nodes.map(({ position }) => ({ ...position, ...card })), ...frames];
  const least =
    boxes.length === 0
      ? { x: 0, y: 0 }
      : { x: Math.min(...boxes.map((box) => box.x)), y: Math.min(...boxes.map((box) => box.y)) };
  const most =
    boxes.length === 0
      ? { x: 320, y: 160 }
      : {
          x: Math.max(...boxes.map((box) => box.x + box.width)),
          y: Math.max(...boxes.map((box) => box.y + box.height)),
        };
  const width = Math.ceil(most.x - least.x + 2 * margin);
  const height = Math.ceil(most.y - least.y + 2 * margin);
  const at = new Map(lab.nodes.map((node) => [node.id, node.position]));
  const lines = lab.links.flatMap((link) => {
    const [a, b] = link.ends.map((id) => at.get(id));
    if (a === undefined || b === undefined) return [];
    const [x1, y1, x2, y2] = [
      a.x + card.width / 2,
      a.y + card.height / 2,
      b.x + card.width / 2,
      b.y + card.height / 2,
    ];
    return [{ x1, y1, x2, y2, text: parts.label(link) }];
  });
  const body = [
    ...frames.map(
      (frame) =>
        `<rect x="${frame.x}" y="${frame.y}" width="${frame.width}" height="${frame.height}" rx="10" fill="none" stroke="${style.border}" stroke-width="1.5" stroke-dasharray="6 4"/>` +
        `<text x="${frame.x + 12}" y="${frame.y + 17}" font-size="11" font-weight="600" fill="${style.dim}">${escape(frame.group)}</text>`,
    ),
    ...lines.map(
      ({ x1, y1, x2, y2 }) =>
        `<line x1="${x1}" y1="${y1}" x2="${x2}" y2="${y2}" stroke="${style.border}" stroke-width="2"/>`,
    ),
    ...lines.map(({ x1, y1, x2, y2, text }) => {
      const [x, y, room] = [(x1 + x2) / 2, (y1 + y2) / 2, widthOf(text, 11) + 14];
      return (
        `<rect x="${x - room / 2}" y="${y - 9}" width="${room}" height="18" rx="9" fill="${style.background}" stroke="${style.border}"/>` +
        `<text x="${x}" y="${y + 4}" font-size="11" text-anchor="middle" fill="${style.dim}">${escape(text)}</text>`
      );
    }),
    ...lab.nodes.map((node, index) => {
      const { x, y } = node.position;
      const isSwitch = node.kind === 'switch';
      return (
        `<rect x="${x}" y="${y}" width="${card.width}" height="${card.height}" rx="6" fill="${style.panel}" stroke="${style.border}"${isSwitch ? ' stroke-dasharray="5 3"' : ''}/>` +
        `<rect x="${x}" y="${y}" width="4" height="${card.height}" rx="2" fill="${isSwitch ? style.dim : parts.colour(index)}"/>` +
        `<text x="${x + 16}" y="${y + 27}" font-size="14" font-weight="600" fill="${style.text}">${escape(fitted(node.name, 14, card.width - 30))}</text>` +
        `<text x="${x + 16}" y="${y + 48}" font-size="11" fill="${style.dim}">${escape(fitted(parts.facts(node), 11, card.width - 26))}</text>`
      );
    }),
  ];
  const svg = [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="${least.x - margin} ${least.y - margin} ${width} ${height}" font-family="${escape(style.font)}">`,
    `<title>${escape(lab.name)}</title>`,
    `<rect x="${least.x - margin}" y="${least.y - margin}" width="${width}" height="${height}" fill="${style.background}"/>`,
    ...body,
    '</svg>',
    '',
  ].join('\n');
  return { svg, width, height };
}

/** Browsers refuse larger canvases. */
const longestSide = 8000;

/** The picture as PNG, twice as fine as it is seen; less where it is very large. */
export async function toPng({ svg, width, height }: Picture): Promise<Blob> {
  const scale = Math.min(2, longestSide / Math.max(width, height));
  const url = URL.createObjectURL(new Blob([svg], { type: 'image/svg+xml' }));
  try {
    const image = new Image();
    image.src = url;
    await image.decode();
    const canvas = document.createElement('canvas');
    canvas.width = Math.round(width * scale);
    canvas.height = Math.round(height * scale);
    canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height);
    return await new Promise((resolve, reject) => {
      canvas.toBlob((blob) => {
        if (blob === null) reject(new Error('the browser made no PNG'));
        else resolve(blob);
      }, 'image/png');
    });
  } finally {
    URL.revokeObjectURL(url);
  }
}
