/** Example labs shipped with the app: `<name>.lab.json`, with its Chinese texts in `<name>.zh-CN.json`. */
import { chmod, copyFile, mkdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import * as z from 'zod';
import type { Phrase } from '../../shared/base/phrase.ts';
import type { Language } from '../../shared/base/language.ts';
import { notFound } from '../../shared/base/errors.ts';
import type { LabDocument } from '../../shared/lab/lab.ts';
import { extension, labFiles, readLabText } from './lab-file.ts';

export interface LabExample {
  readonly name: string;
  readonly title: Phrase;
  readonly description: Phrase;
}

const Words = z.object({ name: z.string(), description: z.string() });

/** @param folder `assets/labs` */
export async function listExamples(folder: string): Promise<LabExample[]> {
  const found: LabExample[] = [];
  for (const file of await labFiles(folder)) {
    const name = basename(file, extension);
    const { lab } = await readLabText(join(folder, file));
    const zh = await chineseOf(folder, name);
    found.push({
      name,
      title: { en: lab.name, 'zh-CN': zh.name },
      description: { en: lab.description, 'zh-CN': zh.description },
    });
  }
  return found;
}

/** Rejects with `not_found`. */
export async function readExample(folder: string, name: string, language: Language): Promise<LabDocument> {
  const file = `${name}${extension}`;
  if (!(await labFiles(folder)).includes(file)) throw notFound('example', name);
  const { lab } = await readLabText(join(folder, file));
  return language === 'en' ? lab : { ...lab, ...(await chineseOf(folder, name)) };
}

/** The folder that an example's script names: the user gets a copy of that script. */
const ownScripts = '/assets/scripts';

/**
 * The lab with a script of its own, which the user may edit.
 * @param assets `assets/`
 * @param to a new folder
 */
export async function withOwnCode(lab: LabDocument, assets: string, to: string): Promise<LabDocument> {
  const { script } = lab.experiment;
  if (script?.source.type !== 'folder' || script.source.path !== ownScripts) return lab;
  await mkdir(to, { recursive: true });
  const file = join(to, script.file);
  await copyFile(join(assets, 'scripts', script.file), file);
  await chmod(file, 0o644);
  return {
    ...lab,
    experiment: { ...lab.experiment, script: { ...script, source: { type: 'folder', path: to } } },
  };
}

const chineseOf = async (folder: string, name: string): Promise<z.infer<typeof Words>> =>
  Words.parse(JSON.parse(await readFile(join(folder, `${name}.zh-CN.json`), 'utf8')));
