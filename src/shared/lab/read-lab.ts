/** Reads and writes lab files: input is migrated, limited in size and validated; output has the newest version. */
import { RinglabError } from '../base/errors.ts';
import { valueProblem } from '../i18n/value-problem.ts';
import { labVersion, labMaxBytes, LabDocument } from './lab.ts';
import { phrase } from '../i18n/say.ts';

/** From version N to N + 1, on plain JSON. Nothing to migrate yet. */
const migrations: Readonly<Record<number, (document: Record<string, unknown>) => Record<string, unknown>>> =
  {};

/** A chain of jump hosts is the deepest part of a lab. Recursive readers overflow far beyond this depth. */
const deepestNesting = 100;

/** The largest lab has 40 values for each node and 10 for each link. */
export const maxValues = 500_000;

/** Whether a parsed value contains more than `limit` values; a value that is referenced twice counts twice. */
export function hasMore(value: unknown, max: number): boolean {
  const open: unknown[] = [value];
  for (let count = 1; open.length > 0; count += 1) {
    const one = open.pop();
    if (count + open.length > max) return true;
    if (typeof one === 'object' && one !== null) for (const inner of Object.values(one)) open.push(inner);
  }
  return false;
}

/** Whether a parsed value is nested deeper than `limit`. */
export function isDeep(value: unknown, levels: number): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > levels) return true;
    level = level.flatMap((one): unknown[] =>
      typeof one === 'object' && one !== null ? Object.values(one) : [],
    );
  }
  return false;
}

/** @throws lab_invalid where a lab's value has too much in it to be read */
function checkExtent(value: unknown, where: string): void {
  const problem = hasMore(value, maxValues)
    ? phrase('labProblems.values', { count: maxValues })
    : isDeep(value, deepestNesting)
      ? phrase('labProblems.nesting', { count: deepestNesting })
      : undefined;
  if (problem !== undefined) throw new RinglabError('lab_invalid', { path: '', problem }, { where });
}

/** @throws lab_too_large where the file of a lab could not be read */
export function checkLabSize(bytes: number, where: string): void {
  if (bytes > labMaxBytes) throw new RinglabError('lab_too_large', { bytes, limit: labMaxBytes }, { where });
}

/**
 * Parses a lab file's text without side effects. Throws `lab_unreadable` (not JSON), `lab_invalid` (with the path
 * inside the file), `lab_newer` or `lab_too_large`.
 * @param where the file's name, for the message
 */
export function parseLab(text: string, where: string): LabDocument {
  checkLabSize(text.length, where);
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    throw new RinglabError(
      'lab_unreadable',
      {},
      { where, detail: error instanceof Error ? error.message : '', cause: error },
    );
  }
  checkExtent(value, where);
  if (
    typeof value !== 'object' ||
    value === null ||
    Array.isArray(value) ||
    !('format' in value) ||
    value.format !== 'ringlab-lab'
  ) {
    throw new RinglabError(
      'lab_invalid',
      { path: 'format', problem: phrase('labProblems.format') },
      { where },
    );
  }
  let document: Record<string, unknown> = { ...value };
  const version = document.version;
  if (typeof version !== 'number' || !Number.isInteger(version) || version < 1) {
    throw new RinglabError(
      'lab_invalid',
      { path: 'version', problem: phrase('labProblems.version') },
      { where },
    );
  }
  if (version > labVersion)
    throw new RinglabError('lab_newer', { version, supported: labVersion }, { where });
  for (let from = version; from < labVersion; from += 1) {
    const migrate = migrations[from];
    if (migrate === undefined)
      throw new RinglabError(
        'lab_invalid',
        { path: 'version', problem: phrase('labProblems.migration', { from }) },
        { where },
      );
    document = migrate(document);
  }
  const parsed = LabDocument.safeParse(document);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    const path = (issue?.path ?? [])
      .map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`))
      .join('')
      .replace(/^\./, '');
    throw new RinglabError('lab_invalid', { path, problem: valueProblem(issue) }, { where });
  }
  return parsed.data;
}

/**
 * The text of a lab file: stable order, two spaces, a final newline.
 * @throws lab_invalid where it could not be read again
 */
export function formatLab(lab: LabDocument): string {
  const document = LabDocument.parse(lab);
  checkExtent(document, lab.name);
  return `${JSON.stringify(document, null, 2)}\n`;
}
