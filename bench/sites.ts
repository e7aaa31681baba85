/**
 * By paper: a step of resnet18 on many nodes over 100 Mbps, averaged over all at once or inside sites first. The table of
 * docs/slow-links.md. Measures nothing.
 *
 * npm run --silent bench -- sites [-- COMPUTE_SECONDS]
 */
import { maxBits } from '../src/shared/cost/auto-sync.ts';
import { sitesStep, type Sites } from '../src/shared/cost/sites.ts';

const computeSeconds = Number(process.argv[2] ?? 0.27);
const rows: readonly (readonly [string, Sites, number])[] = [
  ['3 nodes', { sites: 3, nodesEach: 1, insideMbps: 1000, betweenMbps: 100 }, maxBits],
  ['64 nodes', { sites: 64, nodesEach: 1, insideMbps: 1000, betweenMbps: 100 }, maxBits],
  ['64 nodes in 8 sites', { sites: 8, nodesEach: 8, insideMbps: 1000, betweenMbps: 100 }, 1],
  ['1,000 nodes', { sites: 1000, nodesEach: 1, insideMbps: 1000, betweenMbps: 100 }, maxBits],
  ['1,000 nodes in 40 sites', { sites: 40, nodesEach: 25, insideMbps: 1000, betweenMbps: 100 }, 1],
];
process.stdout.write(
  '| over 100 Mbps | a step | inside | between | CPU | sent by a site or node | of it values |\n',
);
process.stdout.write('| --- | --- | --- | --- | --- | --- | --- |\n');
for (const [name, sites, inside] of rows) {
  const found = sitesStep(sites, 'resnet18', 10, { inside, between: maxBits }, computeSeconds);
  if (found === undefined) throw new Error('resnet18 is not known');
  const ms = (seconds: number): string => `${Math.round(1000 * seconds)} ms`;
  const { secondsPerStep, insideSeconds, betweenSeconds, workSeconds, bytesBetween, valueShare } = found;
  const times = [secondsPerStep, insideSeconds, betweenSeconds, workSeconds].map(ms).join(' | ');
  process.stdout.write(
    `| ${name} | ${times} | ${Math.round(bytesBetween / 1000)} kB | ${Math.round(100 * valueShare)} % |\n`,
  );
}
