/** The doctor: recognises known failures in a tool's output, with their causes and remedies. */
import type { Diagnosed } from '../../../shared/node/diagnosis.ts';
import { phrase } from '../../i18n/index.ts';
import { buildDiagnoses } from './build.ts';
import { condaDiagnoses } from './conda.ts';
import { cudaDiagnoses } from './cuda.ts';
import type { Diagnosis } from './diagnosis.ts';
import { driverDiagnoses } from './driver.ts';
import { gitDiagnoses } from './git.ts';
import { gpuDiagnoses } from './gpu.ts';
import { modelDiagnoses } from './model.ts';
import { ncclDiagnoses } from './nccl.ts';
import { candidatesOf } from './needles.ts';
import { generalNetworkDiagnoses, networkDiagnoses } from './network.ts';
import { packageDiagnoses } from './packages.ts';
import { packageIndexDiagnoses, pythonDiagnoses } from './python.ts';
import { generalRankDiagnoses, rankDiagnoses } from './ranks.ts';
import { schedulerDiagnoses } from './schedulers.ts';
import { scriptDiagnoses } from './scripts.ts';
import { sshDiagnoses } from './ssh.ts';
import { systemDiagnoses } from './system.ts';

/** Specific failures before general ones: only the first match of a line is reported. */
export const diagnoses: readonly Diagnosis[] = [
  ...driverDiagnoses,
  ...gpuDiagnoses,
  ...packageDiagnoses,
  ...condaDiagnoses,
  ...pythonDiagnoses,
  ...cudaDiagnoses,
  ...modelDiagnoses,
  ...sshDiagnoses,
  ...gitDiagnoses,
  ...ncclDiagnoses,
  ...rankDiagnoses,
  ...schedulerDiagnoses,
  ...buildDiagnoses,
  ...scriptDiagnoses,
  ...systemDiagnoses,
  ...networkDiagnoses,
  ...packageIndexDiagnoses,
  ...generalNetworkDiagnoses,
  ...generalRankDiagnoses,
];

/** Longer lines are progress bars and binary data; the rest of them is ignored. */
const longestLine = 2000;
const maxLines = 20_000;

/**
 * Each recognised failure once, in the order of the output. Each line is also matched together with the next, since
 * some tools wrap; only the last 20,000 lines are read.
 */
export function diagnose(text: string): Diagnosed[] {
  const lines = text
    .split(/[\r\n]+/)
    .slice(-maxLines)
    .map((line) => line.slice(0, longestLine).replace(/\u001b\[[0-9;?]*[A-Za-z]/g, ''));
  const found = new Map<string, Diagnosed>();
  lines.forEach((line, index) => {
    if (harmless.test(line)) return;
    const next = lines[index + 1] ?? '';
    const hit = find(line) ?? find(`${line} ${continued(next)}`, next) ?? find(kernelMessage(lines, index));
    if (hit === undefined || found.has(hit.diagnosis.code)) return;
    found.set(hit.diagnosis.code, diagnosed(hit, line.trim().slice(0, 500)));
  });
  return [...found.values()].filter(({ code }) => !followsFromAnother(code, found));
}

/** No failures: NCCL's own log of what it tries, up to its last try, and pip's announcements. */
const harmless = /\bNCCL INFO\b(?!.*retrying \((\d+)\/\1\))|\bDEPRECATION: /;

/** The driver's messages in the kernel's log are wrapped over up to five lines, each with time and name. */
const continued = (line: string): string =>
  line.replace(/^\s*(?:\[[^\]]{1,30}\]\s*)?(?:NVRM:)?\s*/, '').trimEnd();

const kernelMessage = (lines: readonly string[], index: number): string =>
  (lines[index] ?? '').includes('NVRM: ')
    ? lines
        .slice(index, index + 5)
        .map(continued)
        .join(' ')
    : '';

/** Whether the output also says what this failure came from. Of several that may follow from any other, the most specific stays. */
function followsFromAnother(code: string, found: ReadonlyMap<string, Diagnosed>): boolean {
  const causes = causesOf(code);
  if (causes !== 'any') return causes.some((cause) => found.has(cause));
  const first = diagnoses.find((one) => found.has(one.code))?.code;
  return first !== code || [...found.keys()].some((other) => causesOf(other) !== 'any');
}

const causesOf = (code: string): readonly string[] | 'any' =>
  diagnoses.find((one) => one.code === code)?.followsFrom ?? [];

/** A failure looked up by its code, without output. */
export function diagnosisOf(code: string): Diagnosed | undefined {
  const known = diagnoses.find((one) => one.code === code);
  if (known === undefined) return undefined;
  return diagnosed({ diagnosis: known, caught: {} }, '');
}

interface Hit {
  readonly diagnosis: Diagnosis;
  readonly caught: Readonly<Record<string, string | undefined>>;
}

const candidates = candidatesOf(
  diagnoses.flatMap((diagnosis) =>
    diagnosis.patterns.map((pattern) => ({ diagnosis, pattern: new RegExp(pattern, 'i') })),
  ),
);

/** @param but a line that is matched separately: failures of this line alone are ignored */
function find(line: string, but?: string): Hit | undefined {
  for (const { diagnosis, pattern } of candidates.of(line)) {
    const match = pattern.exec(line);
    if (match === null || (but !== undefined && pattern.test(but))) continue;
    return { diagnosis, caught: match.groups ?? {} };
  }
  return undefined;
}

/** Parameters missing in the output are shown as unknown. */
function diagnosed({ diagnosis: { code, action }, caught }: Hit, line: string): Diagnosed {
  const unknown = phrase('leftOut');
  return {
    code,
    cause: phrase(`diagnoses.${code}.cause`, caught, unknown),
    remedy: phrase(`diagnoses.${code}.remedy`, caught, unknown),
    ...(action === undefined ? {} : { action }),
    line,
  };
}
