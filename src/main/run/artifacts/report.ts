/** Renders a run as one HTML file that needs no app, network or script. */
import { escapeMarkup } from '../../../shared/base/markup.ts';
import { errorLines } from '../../../shared/i18n/error-texts.ts';
import { formatBytes, formatDuration, formatNumber, formatPercent } from '../../../shared/i18n/quantity.ts';
import { defaultExperiment } from '../../../shared/lab/lab.ts';
import type { Language } from '../../../shared/base/language.ts';
import type { RunFigures } from '../../../shared/run/run-figures.ts';
import {
  isOptionName,
  settingNamesOf,
  settingOf,
  type SettingName,
} from '../../../shared/run/run-settings.ts';
import { firstMember } from '../../../shared/run/membership.ts';
import { isEnded, type RunRecord } from '../../../shared/run/run.ts';
import { scalarsOf, type RunScalar } from '../../../shared/run/run-outputs.ts';
import { bestOf } from '../../../shared/run/scalar-values.ts';
import { tookOf } from '../../../shared/run/took.ts';
import { say, type WordKey } from '../../i18n/index.ts';
import type { Store } from '../../store/index.ts';
import { commandScript } from '../launch/command-script.ts';
import { readFigures } from './figures.ts';
import { diagnosisRows, labDrawing, linkRows } from './report-lab.ts';
import { chartFigure, type Chart } from './chart-svg.ts';
import { reportedScalars, scalarCharts, trainerCharts } from './report-curves.ts';
import { readScalarValues } from './scalar-values.ts';

/** Defence in depth: if any text were parsed as mark-up, nothing would run or be loaded. */
const policy = `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">`;

type ReportWords = (key: Extract<WordKey, `report.${string}`>) => string;

export async function writeReport(
  store: Pick<Store, 'series' | 'lines' | 'catalogue'>,
  run: RunRecord,
  language: Language,
): Promise<string> {
  const words: ReportWords = (key) => say(language, key);
  const [figures] = await readFigures(store, [run.id]);
  const isScript = run.lab.experiment.script !== undefined;
  const scalars = isScript ? reportedScalars(scalarsOf(await store.catalogue(run.id))) : [];
  const [charts, results] = await Promise.all([
    isScript ? scalarCharts(store, run, scalars, language) : trainerCharts(store, run, language),
    isScript ? scalarRows(store, run, scalars, language) : trainerRows(run, words, language),
  ]);
  const sections = [
    summary(run, figures, results, words, language),
    section(words('report.diagnosis'), table(diagnosisRows(run, language))),
    lab(run, words),
    section(words('report.curves'), drawn(charts)),
    settings(run, words, language),
    ranks(run, words),
    events(run, words, language),
    commands(run, words),
  ];
  return `<!doctype html>
<html lang="${language}"><head><meta charset="utf-8">${policy}<meta name="viewport" content="width=device-width">
<title>${escapeMarkup(run.name)} – ${words('report.title')}</title><style>${styles}</style></head>
<body><header><h1>${escapeMarkup(run.name)}</h1><p>${words('report.made')}, ${moment(Date.now() / 1000, language)} · ${escapeMarkup(run.id)}</p></header>
${sections.filter((section) => section !== '').join('\n')}
</body></html>
`;
}

const section = (title: string, body: string): string =>
  body === '' ? '' : `<section><h2>${escapeMarkup(title)}</h2>${body}</section>`;

type Row = readonly [name: string, value: string];

const table = (rows: readonly Row[]): string =>
  rows.length === 0
    ? ''
    : `<table>${rows.map(([name, value]) => `<tr><th scope="row">${escapeMarkup(name)}</th><td>${escapeMarkup(value)}</td></tr>`).join('')}</table>`;

const moment = (t: number, language: Language): string =>
  new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'medium' }).format(new Date(t * 1000));

const lab = (run: RunRecord, words: ReportWords): string =>
  section(words('report.lab'), labDrawing(run.lab, words('report.lab')) + table(linkRows(run.lab)));

function trainerRows(run: RunRecord, words: ReportWords, language: Language): Row[] {
  const rows: Row[] = [
    [words('report.epochs'), `${run.epochsCompleted} / ${run.epochs}`],
    [words('report.steps'), formatNumber(run.step, language)],
  ];
  if (typeof run.bestTop1 === 'number')
    rows.push([words('report.best'), formatPercent(run.bestTop1, language)]);
  if (typeof run.loss === 'number') rows.push([words('report.loss'), formatNumber(run.loss, language)]);
  return rows;
}

/** The last value of each scalar, and the best where its name says which end is. */
async function scalarRows(
  store: Pick<Store, 'series' | 'catalogue'>,
  run: RunRecord,
  scalars: readonly RunScalar[],
  language: Language,
): Promise<Row[]> {
  const names = scalars.map(({ name }) => name);
  const [found] = await readScalarValues(store, [run.id], names);
  const measured = names.flatMap((name) => {
    const best = bestOf(name);
    return (['final', ...(best === undefined ? [] : [best])] as const).flatMap((measure): Row[] => {
      const value = found?.values[name]?.[measure];
      return value === undefined
        ? []
        : [[say(language, `report.measured.${measure}`, { name }), formatNumber(value, language)]];
    });
  });
  return [[say(language, 'report.steps'), formatNumber(run.step, language)], ...measured];
}

function summary(
  run: RunRecord,
  figures: RunFigures | undefined,
  results: readonly Row[],
  words: ReportWords,
  language: Language,
): string {
  const rows: Row[] = [[words('report.state'), say(language, `runStates.${run.state}`)]];
  if (run.error !== undefined) rows.push([words('report.error'), errorLines(run.error, language).join('\n')]);
  if (run.startedAt !== undefined) {
    rows.push([words('report.started'), moment(run.startedAt, language)]);
    const took = run.endedAt === undefined ? undefined : tookOf(run, run.endedAt);
    if (isEnded(run.state) && took !== undefined)
      rows.push([words('report.took'), formatDuration(took, language)]);
  }
  rows.push(...results);
  const seconds = (value: number | undefined): string =>
    value === undefined ? '–' : formatDuration(value, language);
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
    rows.push([words('report.imagesPerSecond'), formatNumber(figures.imagesPerSecond, language)]);
  if (figures?.bytesPerStep !== undefined)
    rows.push([
      say(language, 'report.sent', { rank: firstMember(run) }),
      formatBytes(figures.bytesPerStep, language),
    ]);
  if ((run.tags ?? []).length > 0) rows.push(['#', (run.tags ?? []).join(', ')]);
  const notes = run.notes === '' ? '' : `<p class="notes">${escapeMarkup(run.notes)}</p>`;
  return section(words('report.summary'), table(rows) + notes);
}

/** Empty where no chart has a value. */
function drawn(charts: readonly Chart[]): string {
  const figures = charts.map(chartFigure).join('');
  return figures === '' ? '' : `<div class="charts">${figures}</div>`;
}

const settings = (run: RunRecord, words: ReportWords, language: Language): string => {
  const configured = {
    experiment: run.lab.experiment,
    nodes: new Set(run.ranks.map((rank) => rank.nodeId)).size,
    worldSize: run.ranks.length,
    code: run.code,
  };
  const plain = { ...configured, experiment: defaultExperiment() };
  const rowOf = (name: SettingName): readonly [string, string] => [
    isOptionName(name) ? name : say(language, `settingNames.${name}`),
    String(settingOf(configured, name)),
  ];
  const names = settingNamesOf([configured]);
  const changed = names.filter((name) => settingOf(configured, name) !== settingOf(plain, name));
  const others = names.filter((name) => !changed.includes(name));
  return section(
    words('report.settings'),
    (changed.length === 0
      ? ''
      : `<h3>${escapeMarkup(words('report.changedSettings'))}</h3>${table(changed.map(rowOf))}`) +
      // Open, so that it is printed; a reader may close it.
      `<details open><summary>${escapeMarkup(words('report.otherSettings'))}</summary>${table(others.map(rowOf))}</details>`,
  );
};

function ranks(run: RunRecord, words: ReportWords): string {
  if (run.ranks.length === 0) return '';
  const rows = run.ranks.map(
    (rank) =>
      `<tr><td>${rank.rank}</td><td>${escapeMarkup(rank.nodeName)}</td><td>${rank.exit?.code ?? '–'}</td></tr>`,
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
    : section(words('report.commands'), `<pre>${escapeMarkup(commandScript(run))}</pre>`);

const styles = `:root{color-scheme:light dark;--ink:#1a202c;--dim:#566072;--line:#dde1e7;--ground:#fff;--raised:#f7f8fa;--edge:#98a3b3;--accent:#0a6970}
@media(prefers-color-scheme:dark){:root{--ink:#e6e9ef;--dim:#a3adbd;--line:#2a303b;--ground:#191d25;--raised:#20252f;--edge:#5b6678;--accent:#3da5ab}}
body{margin:0 auto;max-width:1120px;padding:24px;background:var(--ground);color:var(--ink);font:14px/1.5 system-ui,'Noto Sans SC','PingFang SC','Microsoft YaHei',sans-serif}
header{padding-bottom:10px;border-bottom:3px solid var(--accent)}h1{margin:0;font-size:24px}h3,summary{margin:10px 0 4px;font-size:14px;font-weight:600}header p{margin:2px 0 0;color:var(--dim)}h2{margin:28px 0 8px;font-size:16px}
table{border-collapse:collapse}th,td{padding:3px 18px 3px 0;border-bottom:1px solid var(--line);text-align:left;font-variant-numeric:tabular-nums}
td{white-space:pre-line}th{color:var(--dim);font-weight:500}.notes{white-space:pre-wrap;max-width:70ch}
.charts{display:grid;grid-template-columns:repeat(auto-fit,minmax(340px,1fr));gap:16px}
figure{margin:0;padding:10px;border:1px solid var(--line);border-radius:8px}figcaption{font-weight:600}
figure svg{width:100%;height:auto}figure svg text{fill:var(--dim);font-size:10.5px}.grid{stroke:var(--line)}.mark{stroke:var(--accent);stroke-dasharray:3 3}
.legend{display:flex;flex-wrap:wrap;gap:2px 14px;color:var(--dim);font-size:12px}.legend i{display:inline-block;width:12px;height:3px;margin-right:5px;vertical-align:middle}
pre{overflow:auto;padding:12px;border:1px solid var(--line);border-radius:8px;font-size:12px;max-height:420px}
.drawing svg{display:block;max-width:100%;height:auto;margin:0 0 10px}
@page{margin:14mm}
@media print{:root{color-scheme:light;--ink:#1a202c;--dim:#566072;--line:#dde1e7;--ground:#fff;--raised:#f7f8fa;--edge:#98a3b3;--accent:#0a6970}body{max-width:none;padding:0;font-size:11px;-webkit-print-color-adjust:exact;print-color-adjust:exact}figure,tr,.drawing{break-inside:avoid}h2,h3{break-after:avoid}.charts{grid-template-columns:1fr 1fr}pre{max-height:none;overflow:visible;white-space:pre-wrap;overflow-wrap:anywhere}}`;
