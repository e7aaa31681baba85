/** Actions of the lab menu and the first page: each saves the open lab first, and reports failures. */
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import type { OpenLab } from '../../shared/contract/api.ts';
import { RinglabError } from '../../shared/base/errors.ts';
import { checkLabSize, formatLab } from '../../shared/lab/read-lab.ts';
import { readTopology } from '../exchange/index.ts';
import { useApi } from '../api/index.ts';
import {
  asRinglabError,
  closeLab,
  dropLab,
  openOther,
  report,
  reportDropped,
  runExperiment,
  saveNow,
  useLabStore,
  useLanguage,
  useWindowStore,
} from '../state/index.ts';
import { offerUndo, shownName } from '../ui/index.ts';

/** Of files of labs, and of containerlab. */
export const labFileEndings: readonly string[] = ['.json', '.yml', '.yaml'];

export interface LabActions {
  create(): void;
  open(labId: string): void;
  /** The lab of a run, which may not be stored. */
  openOfRun(runId: string): void;
  fromExample(name: string): void;
  /** Opens a copy of the example and runs it. */
  runExample(name: string): void;
  /** Imports one after the other, reporting those that cannot be read; the last one is shown. */
  importFiles(files: readonly File[]): void;
  duplicate(labId: string, name: string): void;
  remove(labId: string): void;
}

export function useLabActions(): LabActions {
  const api = useApi();
  const { t } = useTranslation();
  const language = useLanguage();
  return useMemo(() => {
    const attempt = (work: () => Promise<void>): void => {
      work().catch((error: unknown) => report(asRinglabError(error)));
    };
    const open = (ask: () => Promise<OpenLab>): Promise<void> => openOther(api, ask);
    const show = (ask: () => Promise<OpenLab>): void => attempt(() => open(ask));
    const imported = async (file: File): Promise<OpenLab> => {
      const where = file.name;
      if (!labFileEndings.some((ending) => where.toLowerCase().endsWith(ending)))
        throw new RinglabError('not_a_lab_file', { endings: labFileEndings.join(', ') }, { where });
      checkLabSize(file.size, where);
      const name = where.slice(0, 255);
      const text = await file.text();
      const topology = /\.json$/i.test(where) ? undefined : await readTopology(text, name);
      const made = await api.call('lab.import', {
        text: topology === undefined ? text : formatLab(topology.lab),
        name,
      });
      reportDropped(made.dropped, name);
      reportDropped(topology?.leftOut ?? [], name, 'links_dropped');
      return made;
    };
    return {
      create: () => show(() => api.call('lab.create', { name: t('shell.menu.newName'), description: '' })),
      open: (labId) => show(() => api.call('lab.open', { labId })),
      openOfRun: (runId) => show(() => api.call('lab.fromRun', { runId })),
      fromExample: (name) => show(() => api.call('lab.fromExample', { name, language })),
      runExample: (name) =>
        attempt(async () => {
          await open(() => api.call('lab.fromExample', { name, language }));
          await runExperiment(api);
        }),
      importFiles: (files) =>
        attempt(async () => {
          for (const file of files) {
            // Nothing takes the place of a lab that cannot be saved; a file that cannot be read keeps none of the others out.
            await saveNow(api);
            await open(() => imported(file)).catch((error: unknown) => report(asRinglabError(error)));
          }
        }),
      duplicate: (labId, name) => show(() => api.call('lab.duplicate', { labId, name: name.slice(0, 120) })),
      remove: (labId) =>
        attempt(async () => {
          const isShown = (): boolean => useLabStore.getState().lab?.id === labId;
          // The trash is to have the newest edits; where they cannot be saved the lab is deleted without them.
          if (isShown()) await saveNow(api).catch(() => undefined);
          const name = useWindowStore.getState().labs.find(({ id }) => id === labId)?.name ?? '';
          const wasShown = isShown();
          try {
            await api.call('lab.delete', { labId });
            offerUndo(t('shell.deleteLab.done', { name: shownName(name, t) }), t('shell.undo'), () =>
              attempt(async () => {
                await api.call('lab.restore', { labId });
                if (wasShown) await open(() => api.call('lab.open', { labId }));
              }),
            );
          } catch (error) {
            if (asRinglabError(error).code !== 'not_found') throw error;
            // Its file is gone already.
            dropLab(labId);
          }
          if (isShown()) closeLab();
        }),
    };
  }, [api, language, t]);
}
