/** Lab files: what is read is migrated, bounded and checked; what is written is the newest version. */
import { RinglabError } from '../base/errors.ts';
import { labVersion, labMaxBytes, LabDocument } from './lab.ts';
import { phrase } from '../i18n/say.ts';

/** From version N to N + 1, on plain JSON. Nothing to migrate yet. */
const migrations: Readonly<Record<number, (document: Record<string, unknown>) => Record<string, unknown>>> =
  {};

/** A chain of jump hosts is the deepest of what a lab holds. Readers that call themselves end far beyond this. */
const deepestNesting = 100;

/** In the largest lab there are 40 for a node and 10 for a link. */
export const maxValues = 500_000;

/** Whether a value that was read from text holds more values than this; what is referred to twice counts twice. */
export function hasMore(value: unknown, max: number): boolean {
  const open: unknown[] = [value];
  for (let count = 1; open.length > 0; count += 1) {
    const one = open.pop();
    if (count + open.length > max) return true;
    if (typeof one === 'object' && one !== null) for (const inner of Object.values(one)) open.push(inner);
  }
  return false;
}

/** Whether a value that was read from text is nested deeper than this. */
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

/**
 * Reads a lab file's text. Throws `lab_unreadable` (not JSON), `lab_invalid` (with the path inside the file),
 * `lab_newer` or `lab_too_large`; never changes anything.
 * @param where the file's name, for the message
 */
export function parseLab(text: string, where: string): LabDocument {
  if (text.length > labMaxBytes) {
    throw new RinglabError('lab_too_large', { bytes: text.length, limit: labMaxBytes }, { where });
  }
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
  if (hasMore(value, maxValues))
    throw new RinglabError(
      'lab_invalid',
      { path: '', problem: phrase('labProblems.values', { count: maxValues }) },
      { where },
    );
  if (isDeep(value, deepestNesting))
    throw new RinglabError(
      'lab_invalid',
      { path: '', problem: phrase('labProblems.nesting', { count: deepestNesting }) },
      { where },
    );
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
    throw new RinglabError('lab_invalid', { path, problem: issue?.message ?? '' }, { where });
  }
  return parsed.data;
}

/** The text of a lab file: stable order, two spaces, a final newline. */
export const formatLab = (lab: LabDocument): string => `${JSON.stringify(LabDocument.parse(lab), null, 2)}\n`;
