/** The labs of a data folder: `labs/<id>.lab.json`, each saved atomically; unreadable files are never overwritten. */
import { randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { createKeyedQueue } from '../base/serial-queue.ts';
import { byName, type LabSummary, type OpenLab } from '../../shared/contract/api.ts';
import type { Language } from '../../shared/base/language.ts';
import { RinglabError, toWireError, notFound } from '../../shared/base/errors.ts';
import { foreignLab, type DroppedField } from '../../shared/lab/foreign-lab.ts';
import { checkLab } from '../../shared/lab/lab-check.ts';
import { checkLabSize, formatLab, parseLab } from '../../shared/lab/read-lab.ts';
import { emptyLab, LabDocument } from '../../shared/lab/lab.ts';
import type { EventLog } from '../base/events.ts';
import { replaceFile } from '../store/index.ts';
import { listExamples, readExample, withOwnCode, type LabExample } from './examples.ts';
import { extension, labFiles, linkedFile, readLabText, type ReadLab } from './lab-file.ts';
import { Revisions } from './revisions.ts';
import { phrase } from '../i18n/index.ts';

const validId = /^[A-Za-z0-9_-]{1,64}$/;
/** Maximum number of deleted labs that are kept; the oldest are removed first. */
const keptInTrash = 100;
const maxNameLength = LabDocument.shape.name.maxLength ?? 120;

export interface Labs {
  /** By name. A file that cannot be read is listed with its error. */
  list(): Promise<LabSummary[]>;
  /** Of all stored labs, also of files that cannot be read. */
  ids(): Promise<string[]>;
  /** Of the deleted labs that `restore` can bring back; undefined where that cannot be known, as on a disk that is not mounted. */
  restorable(): Promise<string[] | undefined>;
  examples(): Promise<LabExample[]>;
  create(lab: { name: string; description: string }): Promise<OpenLab>;
  /** Copies an example, with its texts in that language. Rejects with `not_found`. */
  fromExample(name: string, language: Language): Promise<OpenLab>;
  /**
   * Rejects with the errors of `parseLab`, with `lab_too_large` also where its file would be. `name` is the file's, for the message. Unless the lab is the user's own,
   * fields that name files or programs of this computer are dropped and listed in `dropped`.
   */
  importText(text: string, name: string, own?: boolean): Promise<OpenLab & { dropped: DroppedField[] }>;
  /** Rejects with `not_found`, or the reason why the file cannot be read. */
  open(labId: string): Promise<OpenLab>;
  /**
   * Rejects with `lab_conflict` where `revision` is not the newest, and with the file's own error where the existing
   * file cannot be read: it is never overwritten. Rejects with `lab_too_large` where the new one could not be read. Without
   * changes nothing is written, and the revision stays.
   */
  save(lab: LabDocument, revision: number): Promise<OpenLab>;
  /** The lab of that id; where it is not stored, `lab` is, under its own id. */
  openOr(lab: LabDocument): Promise<OpenLab>;
  duplicate(labId: string, name: string): Promise<OpenLab>;
  /** Moves the file, even an unreadable one, to `labs/.trash`. Rejects with `not_found`. */
  delete(labId: string): Promise<void>;
  /** Takes the lab of that id that was deleted last out of `labs/.trash`. Rejects with `not_found` where there is none, or where its id is taken. */
  restore(labId: string): Promise<void>;
}

export interface LabsOptions {
  readonly dataFolder: string;
  /** `assets/`, with the examples in `labs/`. */
  readonly assetsFolder: string;
  readonly events: Pick<EventLog, 'emit'>;
  readonly now?: () => number;
  readonly newId?: () => string;
}

export function createLabs(options: LabsOptions): Labs {
  const { dataFolder, assetsFolder, events } = options;
  const now = options.now ?? Date.now;
  const newId = options.newId ?? (() => randomBytes(9).toString('base64url'));
  const folder = join(dataFolder, 'labs');
  const examplesFolder = join(assetsFolder, 'labs');
  const revisions = new Revisions(folder);
  /** Serialises changes of a lab. */
  const inTurn = createKeyedQueue();

  const bin = join(folder, '.trash');
  const fileOf = (labId: string): string => join(folder, `${labId}${extension}`);
  const noLab = (id: string): RinglabError => notFound('lab', id);

  const exists = async (labId: string): Promise<boolean> =>
    stat(fileOf(labId)).then(
      () => true,
      () => false,
    );

  /** The lab on disk; the file's name is the id, whatever the content says. */
  const read = async (labId: string): Promise<ReadLab> => {
    if (!validId.test(labId) || !(await exists(labId))) throw noLab(labId);
    const { lab, text } = await readLabText(fileOf(labId));
    return { lab: { ...lab, id: labId }, text };
  };

  const opened = (lab: LabDocument, revision: number): OpenLab => ({
    lab,
    path: fileOf(lab.id),
    revision,
    issues: checkLab(lab),
  });

  const write = async (lab: LabDocument): Promise<OpenLab> => {
    const text = formatLab(lab);
    // Else it could not be opened again.
    checkLabSize(Buffer.byteLength(text), lab.name);
    await mkdir(folder, { recursive: true });
    await replaceFile(await linkedFile(fileOf(lab.id)), text);
    const revision = await revisions.advance(lab.id, text);
    const summary = summarise(lab, await placeOf(fileOf(lab.id)));
    events.emit('lab.changed', { labId: lab.id, revision, summary });
    return opened(lab, revision);
  };

  /** Under the wanted id if it is free, else under a new one. */
  const add = async (lab: LabDocument, wanted?: string): Promise<OpenLab> => {
    let id = wanted ?? newId();
    while (await exists(id)) id = newId();
    return inTurn(id, () => write({ ...lab, id }));
  };

  /** The wanted name, or the first of 'Name 2', 'Name 3' … that no other lab has. */
  const freeName = async (wanted: string): Promise<string> => {
    const taken = new Set<string>();
    for (const file of await labFiles(folder)) taken.add((await summary(file)).name);
    for (let number = 1; ; number += 1) {
      const tail = number === 1 ? '' : ` ${number}`;
      const name = `${wanted.slice(0, maxNameLength - tail.length)}${tail}`;
      if (!taken.has(name)) return name;
    }
  };
  const addFreely = async (lab: LabDocument, wanted?: string): Promise<OpenLab> =>
    add({ ...lab, name: await freeName(lab.name) }, wanted);
  /** In turn, so that two windows' new labs do not get the same name. */
  const addNamed = (lab: LabDocument, wanted?: string): Promise<OpenLab> =>
    inTurn('', () => addFreely(lab, wanted));

  const summary = async (file: string): Promise<LabSummary> => {
    const id = basename(file, extension);
    const known = await placeOf(join(folder, file));
    try {
      if (!validId.test(id)) {
        const problem = phrase('reasons.labFileName');
        throw new RinglabError('lab_invalid', { path: 'id', problem }, { where: file });
      }
      const { lab } = await readLabText(known.path);
      return summarise({ ...lab, id }, known);
    } catch (error) {
      return { id, ...known, name: id, nodes: 0, error: toWireError(error) };
    }
  };

  /** The newest first. */
  const inTrash = async (): Promise<string[]> =>
    (await readdir(bin)).sort((a, b) => Number.parseInt(b, 10) - Number.parseInt(a, 10));
  const trash = async (labId: string): Promise<void> => {
    await mkdir(bin, { recursive: true });
    await rename(fileOf(labId), join(bin, `${now()}-${labId}${extension}`));
    for (const name of (await inTrash()).slice(keptInTrash)) await rm(join(bin, name), { force: true });
  };

  const open = (labId: string): Promise<OpenLab> =>
    inTurn(labId, async () => {
      const { lab, text } = await read(labId);
      return opened(lab, await revisions.of(labId, text));
    });

  return {
    async list() {
      const labs: LabSummary[] = [];
      for (const file of await labFiles(folder)) labs.push(await summary(file));
      return labs.sort(byName);
    },
    async restorable() {
      const there = await readdir(folder).catch(() => undefined);
      if (there === undefined) return undefined;
      const names = there.includes(basename(bin)) ? await inTrash().catch(() => undefined) : [];
      return names?.map((name) => basename(name.replace(/^\d+-/, ''), extension));
    },
    ids: async () => (await labFiles(folder)).map((file) => basename(file, extension)),
    examples: () => listExamples(examplesFolder),
    create: ({ name, description }) => addNamed({ ...emptyLab('new', name), description }),
    async fromExample(name, language) {
      const example = await readExample(examplesFolder, name, language);
      return addNamed(await withOwnCode(example, assetsFolder, join(dataFolder, 'scripts', newId())));
    },
    async importText(text, name, own = false) {
      const lab = parseLab(text, name);
      const { kept, dropped } = own ? { kept: lab, dropped: [] } : foreignLab(lab);
      return { ...(await addNamed(kept, lab.id)), dropped: [...dropped] };
    },
    open,
    openOr: (lab) => inTurn('', async () => ((await exists(lab.id)) ? open(lab.id) : addFreely(lab, lab.id))),
    save: (lab, revision) =>
      inTurn(lab.id, async () => {
        const there = await read(lab.id);
        const newest = await revisions.of(lab.id, there.text);
        if (formatLab(lab) === formatLab(there.lab)) return opened(there.lab, newest);
        if (revision !== newest)
          throw new RinglabError('lab_conflict', { revision, newest }, { where: there.lab.name });
        return write(lab);
      }),
    async duplicate(labId, name) {
      const { lab } = await inTurn(labId, () => read(labId));
      return addNamed({ ...lab, name });
    },
    delete: (labId) =>
      inTurn(labId, async () => {
        if (!validId.test(labId) || !(await exists(labId))) throw noLab(labId);
        await trash(labId);
        const revision = await revisions.forget(labId);
        events.emit('lab.changed', { labId, revision, summary: null });
      }),
    restore: (labId) =>
      inTurn(labId, async () => {
        const deleted = validId.test(labId) ? await inTrash().catch(() => []) : [];
        const newest = deleted.find((name) => name.replace(/^\d+-/, '') === `${labId}${extension}`);
        if (newest === undefined || (await exists(labId))) throw noLab(labId);
        await rename(join(bin, newest), fileOf(labId));
        const revision = await revisions.advance(labId, await readFile(fileOf(labId), 'utf8'));
        events.emit('lab.changed', { labId, revision, summary: await summary(`${labId}${extension}`) });
      }),
  };
}

/** The path of a lab, and its modification time in Unix seconds; 0 where its file is missing. */
async function placeOf(path: string): Promise<Pick<LabSummary, 'path' | 'changedAt'>> {
  const found = await stat(path).catch(() => undefined);
  return { path, changedAt: (found?.mtimeMs ?? 0) / 1000 };
}

const summarise = (lab: LabDocument, place: Pick<LabSummary, 'path' | 'changedAt'>): LabSummary => ({
  id: lab.id,
  name: lab.name,
  nodes: lab.nodes.length,
  ...place,
});
