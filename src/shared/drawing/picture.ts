/** The drawing as an SVG picture, made from the lab itself: for export and for the report of a run. Pure. */
import type { Annotation, AnnotationColour } from '../lab/annotation.ts';
import type { LabDocument, LabNode } from '../lab/lab.ts';
import { escapeMarkup } from '../base/markup.ts';
import { seriesColour } from '../base/series-colour.ts';
import { cardSize } from './card-size.ts';
import { fitted, widthOf, wrapped } from './fitted-text.ts';
import { frames } from './group-frames.ts';
import { cardGrid, coveredBy, labelPlace } from './label-place.ts';
import { linkLabel } from './part-labels.ts';

/** Colours as CSS writes them; `var(--name)` where the picture stands within a page. */
interface PictureStyle {
  readonly background: string;
  readonly panel: string;
  readonly border: string;
  readonly text: string;
  readonly dim: string;
  readonly font: string;
}
export interface PictureParts {
  readonly style: PictureStyle;
  /** '1 × RTX 3080 · 4 CPU · 8 GB', or the kind. */
  facts(node: LabNode): string;
  /** Of notes and shapes. */
  noteColour(colour: AnnotationColour): string;
}

const margin = 40;

export interface Picture {
  readonly svg: string;
  readonly width: number;
  readonly height: number;
}

const line = { size: 13, height: 18 };

function drawnAnnotation(annotation: Annotation, { style, noteColour }: PictureParts): string {
  const { kind, position, size, text, colour } = annotation;
  const { x, y } = position;
  const { width, height } = size;
  const fill = noteColour(colour);
  const isEllipse = kind === 'ellipse';
  const stroke = `stroke="${fill}" stroke-opacity="0.6"`;
  const shape = {
    note:
      `<rect x="${x}" y="${y}" width="${width}" height="${height}" rx="3" fill="${style.panel}"/>` +
      `<rect x="${x}" y="${y}" width="${width}" height="${height}" rx="3" fill="${fill}" fill-opacity="0.16" ${stroke}/>` +
      `<rect x="${x}" y="${y}" width="4" height="${height}" fill="${fill}" fill-opacity="0.6"/>`,
    rectangle: `<rect x="${x}" y="${y}" width="${width}" height="${height}" rx="10" fill="${fill}" fill-opacity="0.09" ${stroke} stroke-width="1.5"/>`,
    ellipse: `<ellipse cx="${x + width / 2}" cy="${y + height / 2}" rx="${width / 2}" ry="${height / 2}" fill="${fill}" fill-opacity="0.09" ${stroke} stroke-width="1.5"/>`,
  }[kind];
  const top = isEllipse ? width * 0.09 : 7;
  const room = isEllipse ? width * 0.6 : width - 24;
  const all = wrapped(text, line.size, room);
  const lines = all.slice(0, Math.max(1, Math.floor((height - top) / line.height)));
  const last = lines.at(-1);
  // A cut text says so.
  if (last !== undefined && lines.length < all.length)
    lines[lines.length - 1] = fitted(`${last}…`, line.size, room).replace(/…+$/, '…');
  const words = lines.map(
    (words, index) =>
      `<text x="${isEllipse ? x + width / 2 : x + 12}" y="${y + top + 13 + index * line.height}" font-size="${line.size}"${kind === 'note' ? '' : ' font-weight="600"'}${isEllipse ? ' text-anchor="middle"' : ''} fill="${style.text}">${escapeMarkup(words)}</text>`,
  );
  return shape + (text === '' ? '' : words.join(''));
}

export function toPicture(lab: LabDocument, parts: PictureParts): Picture {
  const { style } = parts;
  const groups = frames(lab.nodes);
  const annotations = lab.annotations ?? [];
  const boxes = [
    ...lab.nodes.map(({ position }) => ({ ...position, ...cardSize })),
    ...annotations.map(({ position, size }) => ({ ...position, ...size })),
    ...groups,
  ];
  const min =
    boxes.length === 0
      ? { x: 0, y: 0 }
      : { x: Math.min(...boxes.map((box) => box.x)), y: Math.min(...boxes.map((box) => box.y)) };
  const max =
    boxes.length === 0
      ? { x: 320, y: 160 }
      : {
          x: Math.max(...boxes.map((box) => box.x + box.width)),
          y: Math.max(...boxes.map((box) => box.y + box.height)),
        };
  const width = Math.ceil(max.x - min.x + 2 * margin);
  const height = Math.ceil(max.y - min.y + 2 * margin);
  const at = new Map(lab.nodes.map((node) => [node.id, node.position]));
  const lines = lab.links.flatMap((link) => {
    const [a, b] = link.ends.map((id) => at.get(id));
    if (a === undefined || b === undefined) return [];
    const [x1, y1, x2, y2] = [
      a.x + cardSize.width / 2,
      a.y + cardSize.height / 2,
      b.x + cardSize.width / 2,
      b.y + cardSize.height / 2,
    ];
    return [{ x1, y1, x2, y2, text: linkLabel(link) }];
  });
  const covered = coveredBy(cardGrid(lab.nodes), {});
  const body = [
    ...annotations.filter(({ kind }) => kind !== 'note').map((area) => drawnAnnotation(area, parts)),
    ...groups.map(
      (frame) =>
        `<rect x="${frame.x}" y="${frame.y}" width="${frame.width}" height="${frame.height}" rx="10" fill="none" stroke="${style.border}" stroke-width="1.5" stroke-dasharray="6 4"/>` +
        `<text x="${frame.x + 12}" y="${frame.y + 17}" font-size="11" font-weight="600" fill="${style.dim}">${escapeMarkup(frame.group)}</text>`,
    ),
    ...lines.map(
      ({ x1, y1, x2, y2 }) =>
        `<line x1="${x1}" y1="${y1}" x2="${x2}" y2="${y2}" stroke="${style.border}" stroke-width="2"/>`,
    ),
    ...lines.map(({ x1, y1, x2, y2, text }) => {
      const room = widthOf(text, 11) + 14;
      const { x, y } = labelPlace({ x: x1, y: y1 }, { x: x2, y: y2 }, { width: room, height: 18 }, covered);
      return (
        `<rect x="${x - room / 2}" y="${y - 9}" width="${room}" height="18" rx="9" fill="${style.background}" stroke="${style.border}"/>` +
        `<text x="${x}" y="${y + 4}" font-size="11" text-anchor="middle" fill="${style.dim}">${escapeMarkup(text)}</text>`
      );
    }),
    ...lab.nodes.map((node, index) => {
      const { x, y } = node.position;
      const isSwitch = node.kind === 'switch';
      return (
        `<rect x="${x}" y="${y}" width="${cardSize.width}" height="${cardSize.height}" rx="6" fill="${style.panel}" stroke="${style.border}"${isSwitch ? ' stroke-dasharray="5 3"' : ''}/>` +
        `<rect x="${x}" y="${y}" width="4" height="${cardSize.height}" rx="2" fill="${isSwitch ? style.dim : seriesColour(index)}"/>` +
        `<text x="${x + 16}" y="${y + 27}" font-size="14" font-weight="600" fill="${style.text}">${escapeMarkup(fitted(node.name, 14, cardSize.width - 30))}</text>` +
        `<text x="${x + 16}" y="${y + 48}" font-size="11" fill="${style.dim}">${escapeMarkup(fitted(parts.facts(node), 11, cardSize.width - 26))}</text>`
      );
    }),
    ...annotations.filter(({ kind }) => kind === 'note').map((note) => drawnAnnotation(note, parts)),
  ];
  const [left, top] = [min.x - margin, min.y - margin];
  const svg = [
    `<svg xmlns="http://www.w3.org/2000/svg" role="img" width="${width}" height="${height}" viewBox="${left} ${top} ${width} ${height}" font-family="${escapeMarkup(style.font)}">`,
    `<title>${escapeMarkup(lab.name)}</title>`,
    `<rect x="${left}" y="${top}" width="${width}" height="${height}" fill="${style.background}"/>`,
    ...body,
    '</svg>',
    '',
  ].join('\n');
  return { svg, width, height };
}
