/** Exports a chart as a file: its points as CSV, its drawing as SVG and PNG, each readable without the app. */
import { wrapped } from '../../../shared/drawing/fitted-text.ts';
import { csvCell } from '../../../shared/base/csv.ts';
import { escapeMarkup } from '../../../shared/base/markup.ts';
import type { Axis } from '../scale/axis.ts';
import type { Track } from '../series/track.ts';

export interface ExportedLine {
  readonly name: string;
  readonly track: Track | undefined;
}

/** Excel reads a file without it in the system's code page, in which names of other letters are garbled. */
const byteOrderMark = '\uFEFF';

/**
 * A row for each x, and for each of several points there; a column for each line; missing values are empty. RFC 4180.
 * Only names beyond ASCII bring a byte order mark: not every program skips it.
 */
export function chartCsv(lines: readonly ExportedLine[], axis: Pick<Axis, 'choice' | 'toShown'>): string {
  const rows = new Map<number, string[][]>();
  lines.forEach(({ track }, column) => {
    let nth = 0;
    track?.x.forEach((x, i) => {
      nth = x === track.x[i - 1] ? nth + 1 : 0;
      const here = rows.get(x) ?? [];
      const row = (here[nth] ??= lines.map(() => ''));
      const y = track.y[i];
      row[column] = y === null || y === undefined ? 'NaN' : String(y);
      rows.set(x, here);
    });
  });
  const head = [axis.choice, ...lines.map(({ name }) => name)].map(csvCell).join(',');
  const body = [...rows]
    .sort(([a], [b]) => a - b)
    .flatMap(([x, here]) => here.map((values) => [String(axis.toShown(x)), ...values].join(',')));
  const mark = /^[\x00-\x7f]*$/.test(head) ? '' : byteOrderMark;
  return `${mark}${[head, ...body].join('\r\n')}\r\n`;
}

/** Properties that the window's style sheets set and a separate file lacks. */
const styled = [
  'fill',
  'fill-opacity',
  'stroke',
  'stroke-width',
  'stroke-opacity',
  'stroke-dasharray',
  'stroke-linejoin',
  'font-family',
  'font-size',
  'text-anchor',
  'opacity',
] as const;

const legendRow = 16;
const titleRow = 18;
/** Heights of the letters of the title and of a name in the legend, and where they begin, in pixels. */
const letter = { title: 13, name: 11 } as const;
const begin = { title: 12, name: 72 } as const;

/** The drawing with its title and legend, all colours resolved. */
export function chartSvg(
  drawn: SVGSVGElement,
  title: string,
  lines: readonly { name: string; colour: string }[],
): string {
  const width = drawn.clientWidth || Number(drawn.getAttribute('width'));
  const height = drawn.clientHeight || Number(drawn.getAttribute('height'));
  const copy = drawn.cloneNode(true) as SVGSVGElement; // A clone is of its original's type.
  const originals = drawn.querySelectorAll('*');
  copy.querySelectorAll('*').forEach((element, i) => {
    const original = originals[i];
    if (original === undefined) return;
    const style = getComputedStyle(original);
    for (const name of styled) {
      const value = style.getPropertyValue(name);
      if (value !== '') element.setAttribute(name, value);
    }
    element.removeAttribute('class');
    element.removeAttribute('style');
  });
  const page = getComputedStyle(document.body);
  const ink = page.color;
  const ground = getComputedStyle(drawn.closest('figure') ?? document.body).backgroundColor;
  const font = page.fontFamily.replaceAll('"', "'");
  const inLines = (text: string, of: keyof typeof letter): string[] =>
    wrapped(text, letter[of], Math.max(60, width - begin[of] - begin.title));
  const head = inLines(title, 'title');
  const headRow = 6 + head.length * titleRow;
  let rows = 0;
  const legend = lines
    .flatMap(({ name, colour }) =>
      inLines(name, 'name').map((part, nth) => {
        const y = headRow + height + 12 + rows * legendRow;
        rows += 1;
        const dash = nth > 0 ? '' : `<rect x="52" y="${y - 6}" width="14" height="3" fill="${colour}"/>`;
        return `${dash}<text x="${begin.name}" y="${y}" font-size="${letter.name}" fill="${ink}">${escapeMarkup(part)}</text>`;
      }),
    )
    .join('');
  const heading = head
    .map(
      (part, nth) =>
        `<text x="${begin.title}" y="${17 + nth * titleRow}" font-size="${letter.title}" font-weight="600" fill="${ink}">${escapeMarkup(part)}</text>`,
    )
    .join('');
  // HTML, as innerHTML has it, knows entities that XML lacks: `&nbsp;`.
  const serializer = new XMLSerializer();
  const inner = [...copy.childNodes].map((child) => serializer.serializeToString(child)).join('');
  const whole = headRow + height + 8 + rows * legendRow;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${whole}" viewBox="0 0 ${width} ${whole}" font-family="${font}"><rect width="100%" height="100%" fill="${ground}"/>${heading}<g transform="translate(0 ${headRow})">${inner}</g>${legend}</svg>`;
}
