/** Renders charts as SVG text without a browser, for the report and for `--chart`. Pure. */
import { escapeMarkup } from '../../../shared/base/markup.ts';
import { evenTicks } from '../../../shared/base/ticks.ts';

export interface ChartLine {
  readonly name: string;
  readonly colour: string;
  readonly x: readonly number[];
  /** null is a gap. */
  readonly y: readonly (number | null)[];
  readonly dots?: boolean;
}

export interface Chart {
  readonly title: string;
  readonly xName: string;
  readonly lines: readonly ChartLine[];
  /** Fixed limits of the axis, for percentages. */
  readonly bounds?: readonly [number, number];
  /** Vertical marks with a label each. */
  readonly marks?: readonly { readonly x: number; readonly text: string }[];
}

const size = { width: 520, height: 240, left: 56, right: 12, top: 10, bottom: 34 } as const;

const finite = (values: readonly (number | null)[]): number[] =>
  values.filter((value): value is number => value !== null && Number.isFinite(value));

const lowest = (values: readonly number[]): number => values.reduce((a, b) => Math.min(a, b));
const highest = (values: readonly number[]): number => values.reduce((a, b) => Math.max(a, b));

const hasValues = (line: ChartLine): boolean => finite(line.y).length > 0;

function curve(line: ChartLine, toX: (x: number) => number, toY: (y: number) => number): string {
  const at = (value: number): string => value.toFixed(1);
  let pen = 'M';
  let path = '';
  let dots = '';
  line.x.forEach((x, i) => {
    const y = line.y[i] ?? null;
    // A value that is not finite is a gap.
    if (y === null || !Number.isFinite(y)) {
      pen = 'M';
      return;
    }
    path += `${pen}${at(toX(x))} ${at(toY(y))}`;
    pen = 'L';
    if (line.dots === true)
      dots += `<circle cx="${at(toX(x))}" cy="${at(toY(y))}" r="3" fill="${line.colour}"/>`;
  });
  return `<path d="${path}" fill="none" stroke="${line.colour}" stroke-width="1.6"/>${dots}`;
}

/** Axes, marks and curves of the lines that have values, in a box of `size`. */
function plot({ xName, lines, marks = [], bounds }: Omit<Chart, 'title'>): string {
  const xs = lines.flatMap((line) => [...line.x]);
  const ys = lines.flatMap((line) => finite(line.y));
  const [x0, x1] = [lowest(xs), highest(xs)];
  let [y0, y1] = bounds ?? [lowest(ys), highest(ys)];
  if (bounds === undefined) {
    const room = y1 > y0 ? (y1 - y0) * 0.05 : Math.abs(y0) / 10 || 1;
    [y0, y1] = [y0 >= 0 ? Math.max(0, y0 - room) : y0 - room, y1 + room];
  }
  const inner = {
    width: size.width - size.left - size.right,
    height: size.height - size.top - size.bottom,
  };
  const toX = (x: number): number => size.left + ((x - x0) / (x1 - x0 || 1)) * inner.width;
  const toY = (y: number): number => size.top + (1 - (y - y0) / (y1 - y0 || 1)) * inner.height;
  const at = (value: number): string => value.toFixed(1);
  const grid = evenTicks(y0, y1, 5)
    .map(
      (y) =>
        `<line x1="${size.left}" x2="${size.width - size.right}" y1="${at(toY(y))}" y2="${at(toY(y))}" class="grid"/><text x="${size.left - 6}" y="${at(toY(y) + 3.5)}" text-anchor="end">${y}</text>`,
    )
    .join('');
  const below = evenTicks(x0, x1, 6)
    .map((x) => `<text x="${at(toX(x))}" y="${size.height - 18}" text-anchor="middle">${x}</text>`)
    .join('');
  const seams = marks
    .filter(({ x }) => x >= x0 && x <= x1)
    .map(
      ({ x, text }) =>
        `<line x1="${at(toX(x))}" x2="${at(toX(x))}" y1="${size.top}" y2="${size.height - size.bottom}" class="mark"><title>${escapeMarkup(text)}</title></line>`,
    )
    .join('');
  const curves = lines.map((line) => curve(line, toX, toY)).join('');
  return `${grid}${below}<text x="${size.width / 2}" y="${size.height - 3}" text-anchor="middle">${escapeMarkup(xName)}</text>${seams}${curves}`;
}

/** A `<figure>` for a page that defines `.grid`, `.mark` and `.legend`; empty where no line has a value. */
export function chartFigure(chart: Chart): string {
  const lines = chart.lines.filter(hasValues);
  if (lines.length === 0) return '';
  const legend = lines
    .map((line) => `<span><i style="background:${line.colour}"></i>${escapeMarkup(line.name)}</span>`)
    .join('');
  const title = escapeMarkup(chart.title);
  return `<figure><figcaption>${title}</figcaption><svg viewBox="0 0 ${size.width} ${size.height}" role="img" aria-label="${title}">${plot({ ...chart, lines })}</svg><div class="legend">${legend}</div></figure>`;
}

const fileMargin = { left: 16, head: 40, title: 24, legendRow: 16, below: 16 } as const;

/** An SVG file of charts below each other; charts without values are omitted. */
export function chartFile(title: string, charts: readonly Chart[]): string {
  let top: number = fileMargin.head;
  const parts = charts.flatMap((chart) => {
    const lines = chart.lines.filter(hasValues);
    if (lines.length === 0) return [];
    const legendTop = fileMargin.title + size.height + fileMargin.legendRow;
    const legend = lines
      .map(({ name, colour }, i) => {
        const y = legendTop + i * fileMargin.legendRow;
        return `<rect x="${size.left}" y="${y - 6}" width="14" height="3" fill="${colour}"/><text x="${size.left + 20}" y="${y - 1}">${escapeMarkup(name)}</text>`;
      })
      .join('');
    const part = `<g transform="translate(0 ${top})"><text x="${fileMargin.left}" y="12" class="title">${escapeMarkup(chart.title)}</text><g transform="translate(0 ${fileMargin.title})">${plot({ ...chart, lines })}</g>${legend}</g>`;
    top += legendTop + lines.length * fileMargin.legendRow + fileMargin.below;
    return [part];
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${size.width}" height="${top}" viewBox="0 0 ${size.width} ${top}" role="img" aria-label="${escapeMarkup(title)}">
<style>text{font:11px system-ui,sans-serif;fill:#334}.title{font-weight:600;font-size:13px}.grid{stroke:#e2e6ee}.mark{stroke:#0a6970;stroke-dasharray:3 3}</style>
<rect width="100%" height="100%" fill="#fff"/><text x="${fileMargin.left}" y="22" class="title">${escapeMarkup(title)}</text>
${parts.join('\n')}
</svg>
`;
}
