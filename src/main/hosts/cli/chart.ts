/** A run as one self-contained SVG: loss above, accuracy below. For terminals, reports and CI, where there is no window. */
import type { Series } from '../../../shared/metrics/metrics.ts';
import { escapeHtml, ticks } from '../../run/index.ts';

const width = 860;
const panelHeight = 260;
const margin = { left: 64, right: 20, top: 34, bottom: 38 };
// Okabe and Ito's palette: distinct for colour-blind readers too.
const colours = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#e69f00', '#56b4e9', '#000000', '#f0e442'];

export interface ChartLine {
  readonly label: string;
  readonly series: Series;
}

function panel(
  title: string,
  lines: readonly ChartLine[],
  top: number,
  fixed?: readonly [number, number],
): string {
  const xs = lines.flatMap(({ series }) => series.x);
  const ys = lines.flatMap(({ series }) => series.y).filter((y): y is number => y !== null);
  const x0 = Math.min(...xs, 0);
  const x1 = Math.max(...xs, 1);
  const y0 = fixed?.[0] ?? Math.min(0, ...ys);
  const y1 = fixed?.[1] ?? Math.max(...ys, 0.1) * 1.05;
  const px = (x: number): number =>
    margin.left + ((x - x0) / (x1 - x0)) * (width - margin.left - margin.right);
  const py = (y: number): number =>
    top + margin.top + (1 - (y - y0) / (y1 - y0)) * (panelHeight - margin.top - margin.bottom);
  const parts = [`<text x="${margin.left}" y="${top + 20}" class="title">${escapeHtml(title)}</text>`];
  for (const tick of ticks(y0, y1, 5)) {
    parts.push(
      `<line x1="${margin.left}" x2="${width - margin.right}" y1="${py(tick)}" y2="${py(tick)}" class="grid"/>`,
    );
    parts.push(`<text x="${margin.left - 8}" y="${py(tick) + 4}" text-anchor="end">${tick}</text>`);
  }
  for (const tick of ticks(x0, x1, 5)) {
    parts.push(
      `<text x="${px(tick)}" y="${top + panelHeight - margin.bottom + 18}" text-anchor="middle">${tick}</text>`,
    );
  }
  lines.forEach(({ label, series }, index) => {
    const colour = colours[index % colours.length] ?? '#000';
    let pen = false;
    const path = series.x.map((x, i) => {
      const y = series.y[i] ?? null;
      // A value that is not finite is a gap, not a line to nowhere.
      if (y === null) {
        pen = false;
        return '';
      }
      const command = pen ? 'L' : 'M';
      pen = true;
      return `${command}${px(x).toFixed(1)} ${py(Math.min(Math.max(y, y0), y1)).toFixed(1)}`;
    });
    parts.push(`<path d="${path.join('')}" fill="none" stroke="${colour}" stroke-width="1.8"/>`);
    const legend = width - margin.right - (lines.length - index) * 110;
    parts.push(
      `<rect x="${legend}" y="${top + 12}" width="12" height="3" fill="${colour}"/><text x="${legend + 17}" y="${top + 18}">${escapeHtml(label)}</text>`,
    );
  });
  return parts.join('\n');
}

/** @param loss one line a rank, by step; @param accuracy percentages by step */
export function chartSvg(title: string, loss: readonly ChartLine[], accuracy: readonly ChartLine[]): string {
  const height = 34 + 2 * panelHeight;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="${escapeHtml(title)}">
<style>text{font:12px system-ui,sans-serif;fill:#334}.title{font-weight:600;font-size:14px}.grid{stroke:#e2e6ee}</style>
<rect width="${width}" height="${height}" fill="#fff"/>
<text x="${margin.left}" y="24" class="title">${escapeHtml(title)}</text>
${panel('Loss, by step', loss, 26)}
${panel('Accuracy in percent, by step', accuracy, 26 + panelHeight, [0, 100])}
</svg>
`;
}
