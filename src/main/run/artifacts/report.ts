/** Renders a run as one HTML file that needs no app, network or script. */
import { errorLines } from '../../../shared/i18n/error-texts.ts';
import type { Language } from '../../../shared/base/language.ts';
import { rankSource, type Series, type SeriesKey } from '../../../shared/metrics/metrics.ts';
import type { RunFigures } from '../../../shared/run/run-figures.ts';
import { settingNames, settingOf } from '../../../shared/run/run-settings.ts';
import { isEnded, type RunRecord } from '../../../shared/run/run.ts';
import { say, type WordKey } from '../../i18n/index.ts';
import type { Store } from '../../store/index.ts';
import { commandScript } from '../launch/command-script.ts';
import { readFigures } from './figures.ts';
import { chartFigure, escapeHtml, lineColour, type ChartLine } from './chart-svg.ts';

/** Maximum number of points of a curve: more than there are pixels would only make the file larger. */
const maxPoints = 600;
/** More curves cannot be distinguished. */
const maxRanks = 8;

/** Defence in depth: if any text were parsed as mark-up, nothing would run or be loaded. */
const policy = `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">`;

type ReportWords = (key: Extract<WordKey, `report.${string}`>) => string;

export async function writeReport(
  store: Pick<Store, 'series' | 'lines'>,
  run: RunRecord,
  language: Language,
): Promise<string> {
  const words: ReportWords = (key) => say(language, key);
  const [figures] = await readFigures(store, [run.id]);
  const sections = [
    summary(run, figures, words, language),
    await curves(store, run, words),
    settings(run, words, language),
    ranks(run, words),
    events(run, words, language),
    commands(run, words),
  ];
  return `<!doctype html>
<html lang="${language}"><head><meta charset="utf-8">${policy}<meta name="viewport" content="width=device-width">
<title>${escapeHtml(run.name)} – ${words('report.title')}</title><style>${styles}</style></head>
<body><header><h1>${escapeHtml(run.name)}</h1><p>${words('report.made')}, ${moment(Date.now() / 1000, language)} · ${escapeHtml(run.id)}</p></header>
${sections.filter((section) => section !== '').join('\n')}
</body></html>
`;
}

const section = (title: string, body: string): string =>
  body === '' ? '' : `<section><h2>${escapeHtml(title)}</h2>${body}</section>`;

const table = (rows: readonly (readonly [string, string])[]): string =>
  `<table>${rows.map(([name, value]) => `<tr><th scope="row">${escapeHtml(name)}</th><td>${escapeHtml(value)}</td></tr>`).join('')}</table>`;

const number = (value: number): string => String(Number(value.toPrecision(4)));
const moment = (t: number, language: Language): string =>
  new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'medium' }).format(new Date(t * 1000));
const duration = (seconds: number): string => {
  const whole = Math.round(seconds);
  const two = (value: number): string => String(value).padStart(2, '0');
  return `${Math.floor(whole / 3600)}:${two(Math.floor((whole % 3600) / 60))}:${two(whole % 60)}`;
};

function summary(
  run: RunRecord,
  figures: RunFigures | undefined,
  words: ReportWords,
  language: Language,
): string {
  const rows: [string, string][] = [[words('report.state'), say(language, `runStates.${run.state}`)]];
  if (run.error !== undefined) rows.push([words('report.error'), errorLines(run.error, language).join('\n')]);
  if (run.startedAt !== undefined) {
    rows.push([words('report.started'), moment(run.startedAt, language)]);
    if (isEnded(run.state) && run.endedAt !== undefined)
      rows.push([words('report.took'), duration(run.endedAt - run.startedAt)]);
  }
  rows.push(
    [words('report.epochs'), `${run.epochsCompleted} / ${run.epochs}`],
    [words('report.steps'), String(run.step)],
  );
  if (typeof run.bestTop1 === 'number') rows.push([words('report.best'), `${number(run.bestTop1)} %`]);
  if (typeof run.loss === 'number') rows.push([words('report.loss'), number(run.loss)]);
  const seconds = (value: number | undefined): string => (value === undefined ? '–' : `${number(value)} s`);
  if (figures?.secondsPerStep !== undefined) {
    rows.push(
      [words('report.secondsPerStep'), seconds(figures.secondsPerStep)],
      [
        words('report.parts'),
        [figures.dataSeconds, figures.computeSeconds, figures.communicationSeconds].map(seconds).join(', '),
      ],
    );
  }
  if (run.estimate !== undefined) rows.push([words('report.expected'), seconds(run.estimate.secondsPerStep)]);
  if (figures?.imagesPerSecond !== undefined)
    rows.push([words('report.imagesPerSecond'), number(figures.imagesPerSecond)]);
  if (figures?.bytesPerStep !== undefined)
    rows.push([words('report.sent'), `${number(figures.bytesPerStep / 1e6)} MB`]);
  if ((run.tags ?? []).length > 0) rows.push(['#', (run.tags ?? []).join(', ')]);
  const notes = run.notes === '' ? '' : `<p class="notes">${escapeHtml(run.notes)}</p>`;
  return section(words('report.summary'), table(rows) + notes);
}

async function curves(store: Pick<Store, 'series'>, run: RunRecord, words: ReportWords): Promise<string> {
  const ranked = run.ranks.slice(0, maxRanks).map(({ rank }) => rank);
  const step = (rank: number, field: string): SeriesKey => ({
    source: rankSource(rank),
    kind: 'step',
    field,
  });
  const evaluated = (field: string): SeriesKey => ({ source: rankSource(0), kind: 'eval', field });
  const parts = [
    ['data_seconds', words('report.data')],
    ['compute_seconds', words('report.compute')],
    ['communication_seconds', words('report.communication')],
  ] as const;
  const keys = [
    ...ranked.flatMap((rank) => [step(rank, 'loss'), step(rank, 'top1')]),
    evaluated('loss'),
    evaluated('top1'),
    ...parts.map(([field]) => step(0, field)),
  ];
  const series = await store.series({ runId: run.id, series: keys, x: 'step', maxPoints });
  const find = (key: SeriesKey): Series | undefined =>
    series.find(
      (one) => one.key.source === key.source && one.key.kind === key.kind && one.key.field === key.field,
    );
  const line = (key: SeriesKey, name: string, colour: string, dots = false): ChartLine => ({
    name,
    colour,
    x: find(key)?.x ?? [],
    y: find(key)?.y ?? [],
    dots,
  });
  const nodeOf = (rank: number): string => run.ranks.find((one) => one.rank === rank)?.nodeName ?? '';
  const perRank = (field: string): ChartLine[] =>
    ranked.map((rank, i) =>
      line(step(rank, field), `${words('report.rank')} ${rank} · ${nodeOf(rank)}`, lineColour(i)),
    );
  const charts = [
    {
      title: 'Loss',
      lines: [...perRank('loss'), line(evaluated('loss'), words('report.validation'), '#222', true)],
    },
    {
      title: words('report.top1'),
      lines: [...perRank('top1'), line(evaluated('top1'), words('report.validation'), '#222', true)],
    },
    {
      title: words('report.stepTime'),
      lines: parts.map(([field, name], i) => line(step(0, field), name, lineColour(i))),
    },
  ];
  return section(
    words('report.curves'),
    `<div class="charts">${charts.map((chart) => chartFigure({ ...chart, xName: words('report.step') })).join('')}</div>`,
  );
}

const settings = (run: RunRecord, words: ReportWords, language: Language): string => {
  const configured = {
    experiment: run.lab.experiment,
    nodes: new Set(run.ranks.map((rank) => rank.nodeId)).size,
    worldSize: run.ranks.length,
  };
  return section(
    words('report.settings'),
    table(
      settingNames.map((name) => [
        say(language, `settingNames.${name}`),
        String(settingOf(configured, name)),
      ]),
    ),
  );
};

function ranks(run: RunRecord, words: ReportWords): string {
  if (run.ranks.length === 0) return '';
  const rows = run.ranks.map(
    (rank) =>
      `<tr><td>${rank.rank}</td><td>${escapeHtml(rank.nodeName)}</td><td>${rank.exit?.code ?? '–'}</td></tr>`,
  );
  return section(
    words('report.nodes'),
    `<table><thead><tr><th>${words('report.rank')}</th><th>${words('report.node')}</th><th>${words('report.exit')}</th></tr></thead><tbody>${rows.join('')}</tbody></table>`,
  );
}

const events = (run: RunRecord, words: ReportWords, language: Language): string =>
  (run.events ?? []).length === 0
    ? ''
    : section(
        words('report.events'),
        table(
          (run.events ?? []).map(({ t, kind, what }) => [
            moment(t, language),
            say(language, `report.${kind}`, { what }),
          ]),
        ),
      );

const commands = (run: RunRecord, words: ReportWords): string =>
  run.ranks.every((rank) => rank.argv.length === 0)
    ? ''
    : section(words('report.commands'), `<pre>${escapeHtml(commandScript(run))}</pre>`);

const styles = `:root{color-scheme:light dark;--ink:#1a202c;--dim:#566072;--line:#dde1e7;--ground:#fff}
@media(prefers-color-scheme:dark){:root{--ink:#e6e9ef;--dim:#a3adbd;--line:#2a303b;--ground:#191d25}}
body{margin:0 auto;max-width:1120px;padding:24px;background:var(--ground);color:var(--ink);font:14px/1.5 system-ui,'Noto Sans SC','PingFang SC','Microsoft YaHei',sans-serif}
h1{margin:0;font-size:24px}header p{margin:2px 0 0;color:var(--dim)}h2{margin:28px 0 8px;font-size:16px}
table{border-collapse:collapse}th,td{padding:3px 18px 3px 0;border-bottom:1px solid var(--line);text-align:left;font-variant-numeric:tabular-nums}
td{white-space:pre-line}th{color:var(--dim);font-weight:500}.notes{white-space:pre-wrap;max-width:70ch}
.charts{display:grid;grid-template-columns:repeat(auto-fit,minmax(340px,1fr));gap:16px}
figure{margin:0;padding:10px;border:1px solid var(--line);border-radius:8px}figcaption{font-weight:600}
svg{width:100%;height:auto}svg text{fill:var(--dim);font-size:10.5px}.grid{stroke:var(--line)}.mark{stroke:#0a6970;stroke-dasharray:3 3}
.legend{display:flex;flex-wrap:wrap;gap:2px 14px;color:var(--dim);font-size:12px}.legend i{display:inline-block;width:12px;height:3px;margin-right:5px;vertical-align:middle}
pre{overflow:auto;padding:12px;border:1px solid var(--line);border-radius:8px;font-size:12px;max-height:420px}`;
