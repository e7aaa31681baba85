/**
 * Tries a user's patterns on the newest log of a lab's script. The trainer judges, as it does during a run: its
 * expressions are matched in linear time, and are not those of JavaScript.
 */
import { spawn } from 'node:child_process';
import { RinglabError } from '../../../shared/base/errors.ts';
import {
  maxTriedLines,
  TriedPatterns,
  type TriedPatterns as Tried,
} from '../../../shared/contract/tried-patterns.ts';
import type { RunRecord } from '../../../shared/run/run.ts';
import type { Reach } from '../../local/index.ts';
import { lastWords, shellQuote } from '../../ssh/index.ts';

/** Bytes of the log's end. */
const lookedAt = 128 * 1024;
const patienceMs = 15_000;
const maxAnswer = 8 * 1024 ** 2;
const rank = 0;

export interface TryServices {
  readonly runs: {
    list(labId: string): Promise<readonly RunRecord[]>;
    log(query: {
      runId: string;
      rank: number;
      offset: number;
      limit: number;
    }): Promise<{ readonly text: string; readonly offset: number }>;
  };
  readonly reach: Pick<Reach, 'session'>;
  /** This computer's trainer; without one that of the run's first node is asked. */
  readonly trainerBinary: string | undefined;
}

/** Throws `trainer_gone` where neither this computer nor the run has a trainer; `command_failed`. */
export async function tryPatterns(
  services: TryServices,
  labId: string,
  patterns: readonly string[],
  signal?: AbortSignal,
): Promise<Tried> {
  const { run, lines } = await newestLog(services, labId);
  const asked = JSON.stringify({ patterns, lines });
  const answer =
    services.trainerBinary === undefined
      ? await askNode(services, run, asked, signal)
      : await askHere(services.trainerBinary, asked, signal);
  let parsed: Tried;
  try {
    parsed = TriedPatterns.parse(JSON.parse(answer));
  } catch (error) {
    throw new RinglabError(
      'internal',
      {},
      { where: 'try-patterns', detail: answer.slice(0, 300), cause: error },
    );
  }
  return {
    errors: parsed.errors,
    lines: parsed.lines.map(inCharacters),
    ...(run === undefined ? {} : { run: { id: run.id, name: run.name } }),
  };
}

/** Of the newest run that has printed anything. */
async function newestLog(
  { runs }: TryServices,
  labId: string,
): Promise<{ readonly run?: RunRecord; readonly lines: readonly string[] }> {
  const scripted = (await runs.list(labId)).filter((run) => run.lab.experiment.script !== undefined);
  for (const run of scripted.slice(0, 20)) {
    if (run.ranks.length === 0) continue;
    const { text, offset } = await runs.log({ runId: run.id, rank, offset: -lookedAt, limit: lookedAt });
    const lines = text.split(/[\r\n]+/).slice(offset === 0 ? 0 : 1);
    const printed = lines.filter((line) => line.trim() !== '').slice(-maxTriedLines);
    if (printed.length > 0) return { run, lines: printed };
  }
  return { lines: [] };
}

/** The trainer counts bytes. */
function inCharacters({ text, matches }: Tried['lines'][number]): Tried['lines'][number] {
  const bytes = Buffer.from(text);
  const place = (at: number): number => bytes.subarray(0, at).toString().length;
  return {
    text,
    matches: matches.map((match) => ({ ...match, begin: place(match.begin), end: place(match.end) })),
  };
}

function askHere(program: string, asked: string, signal?: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, ['try-patterns'], { timeout: patienceMs, signal });
    let [output, errors] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      if (output.length > maxAnswer) child.kill();
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      errors = (errors + text).slice(-2000);
    });
    // It may end before it has read everything.
    child.stdin.on('error', () => undefined).end(asked);
    const command = `${program} try-patterns`;
    child.on('error', (error) =>
      reject(
        signal?.aborted === true
          ? error
          : new RinglabError('command_failed', { code: -1, command }, { detail: error.message }),
      ),
    );
    child.on('close', (code) => {
      if (code === 0) resolve(output);
      else reject(new RinglabError('command_failed', { code: code ?? -1, command }, { detail: errors }));
    });
  });
}

async function askNode(
  { reach }: TryServices,
  run: RunRecord | undefined,
  asked: string,
  signal?: AbortSignal,
): Promise<string> {
  const first = run?.ranks[rank];
  const trainer = first?.env.RINGLAB_TRAINER;
  if (run === undefined || first === undefined || trainer === undefined)
    throw new RinglabError('trainer_gone', {}, { where: run?.name ?? '' });
  const session = await reach.session(run.lab, first.nodeId, signal);
  const command = `${shellQuote(trainer)} try-patterns`;
  const encoded = Buffer.from(asked)
    .toString('base64')
    .replaceAll(/.{1,76}/g, '$&\n');
  const result = await session.exec(`base64 -d <<'END' | nice -n 10 ${command}\n${encoded}END\n`, {
    timeoutMs: patienceMs,
    signal,
  });
  if (result.code !== 0)
    throw new RinglabError(
      'command_failed',
      { code: result.code ?? -1, command },
      { where: first.nodeName, detail: lastWords(result) },
    );
  return result.stdout;
}
