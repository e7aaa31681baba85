/** A chart as SVG text, without a browser: for the report, which must open anywhere. Pure. */

export interface ReportLine {
  readonly name: string;
  readonly colour: string;
  readonly x: readonly number[];
  /** null is a gap. */
  readonly y: readonly (number | null)[];
  readonly dots?: boolean;
}

export interface ReportChart {
  readonly title: string;
  readonly xName: string;
  readonly lines: readonly ReportLine[];
  /** Vertical marks with a word each. */
  readonly marks?: readonly { readonly x: number; readonly text: string }[];
}

const size = { width: 520, height: 240, left: 56, right: 12, top: 10, bottom: 34 } as const;

export const escapeHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

/** Multiples of 1, 2 or 5 times a power of ten within [low, high], about `count`. */
export function ticks(low: number, high: number, count: number): number[] {
  const span = high - low;
  if (!(span > 0) || !Number.isFinite(span)) return [low];
  const rough = span / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((one) => one >= rough) ?? rough;
  const found: number[] = [];
  for (let at = Math.ceil(low / step - 1e-9); at * step <= high + step * 1e-9 && found.length < 40; at += 1)
    found.push(Number((at * step).toPrecision(12)));
  return found;
}

const finite = (values: readonly (number | null)[]): number[] =>
  values.filter((value): value is number => value !== null && Number.isFinite(value));

const lowest = (values: readonly number[]): number => values.reduce((a, b) => Math.min(a, b));
const highest = (values: readonly number[]): number => values.reduce((a, b) => Math.max(a, b));

export function chartSvg({ title, xName, lines, marks = [] }: ReportChart): string {
  const drawn = lines.filter((line) => finite(line.y).length > 0);
  if (drawn.length === 0) return '';
  const xs = drawn.flatMap((line) => [...line.x]);
  const ys = drawn.flatMap((line) => finite(line.y));
  const [x0, x1] = [lowest(xs), highest(xs)];
  let [y0, y1] = [lowest(ys), highest(ys)];
  const room = y1 > y0 ? (y1 - y0) * 0.05 : Math.abs(y0) / 10 || 1;
  [y0, y1] = [y0 >= 0 ? Math.max(0, y0 - room) : y0 - room, y1 + room];
  const inner = {
    width: size.width - size.left - size.right,
    height: size.height - size.top - size.bottom,
  };
  const toX = (x: number): number => size.left + ((x - x0) / (x1 - x0 || 1)) * inner.width;
  const toY = (y: number): number => size.top + (1 - (y - y0) / (y1 - y0 || 1)) * inner.height;
  const at = (value: number): string => value.toFixed(1);
  const grid = ticks(y0, y1, 5)
    .map(
      (y) =>
        `<line x1="${size.left}" x2="${size.width - size.right}" y1="${at(toY(y))}" y2="${at(toY(y))}" class="grid"/><text x="${size.left - 6}" y="${at(toY(y) + 3.5)}" text-anchor="end">${y}</text>`,
    )
    .join('');
  const below = ticks(x0, x1, 6)
    .map((x) => `<text x="${at(toX(x))}" y="${size.height - 18}" text-anchor="middle">${x}</text>`)
    .join('');
  const seams = marks
    .filter(({ x }) => x >= x0 && x <= x1)
    .map(
      ({ x, text }) =>
        `<line x1="${at(toX(x))}" x2="${at(toX(x))}" y1="${size.top}" y2="${size.height - size.bottom}" class="mark"><title>${escapeHtml(text)}</title></line>`,
    )
    .join('');
  const curves = drawn
    .map((line) => {
      let pen = 'M';
      let path = '';
      let dots = '';
      line.x.forEach((x, i) => {
        const y = line.y[i] ?? null;
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
    })
    .join('');
  const legend = drawn
    .map((line) => `<span><i style="background:${line.colour}"></i>${escapeHtml(line.name)}</span>`)
    .join('');
  return `<figure><figcaption>${escapeHtml(title)}</figcaption><svg viewBox="0 0 ${size.width} ${size.height}" role="img" aria-label="${escapeHtml(title)}">${grid}${below}<text x="${size.width / 2}" y="${size.height - 3}" text-anchor="middle">${escapeHtml(xName)}</text>${seams}${curves}</svg><div class="legend">${legend}</div></figure>`;
}
