/** The files in the folder of the open lab's script, asked from main when the folder is another one. */
import { useEffect } from 'react';
import { create } from 'zustand';
import type { WireError } from '../../../shared/base/errors.ts';
import { toWireError } from '../../../shared/base/errors.ts';
import type { RequestResult } from '../../../shared/contract/api.ts';
import { useApi, type LabClient } from '../../api/index.ts';
import { saveNow } from '../autosave.ts';
import { useLabStore } from '../lab.ts';

/** Debounce time in milliseconds: a path is typed character by character. */
const pause = 300;

export type FolderFiles =
  | { readonly state: 'unknown' }
  | { readonly state: 'known'; readonly found: RequestResult<'script.files'> }
  | { readonly state: 'failed'; readonly error: WireError };

interface ScriptFilesSlice {
  /** Lab and folder that `files` belongs to. */
  readonly key: string;
  readonly files: FolderFiles;
}
const unknown: FolderFiles = { state: 'unknown' };
const useScriptFilesStore = create<ScriptFilesSlice>(() => ({ key: '', files: unknown }));

const sourceKey = (): string | undefined => {
  const { lab } = useLabStore.getState();
  const source = lab?.experiment.script?.source;
  const path = source?.type === 'folder' ? source.path.trim() : '';
  return lab === undefined || path === '' ? undefined : `${lab.id} ${path}`;
};

/** Asks main for the files of the folder that the lab names now. */
async function readScriptFiles(api: LabClient): Promise<void> {
  const key = sourceKey();
  const { lab } = useLabStore.getState();
  if (key === undefined || lab === undefined) return;
  let files: FolderFiles;
  try {
    // Main reads the folder of the lab that it has stored.
    await saveNow(api);
    files = { state: 'known', found: await api.call('script.files', { labId: lab.id }) };
  } catch (error) {
    files = { state: 'failed', error: toWireError(error) };
  }
  if (sourceKey() === key) useScriptFilesStore.setState({ key, files });
}

/** The files in the open lab's folder, read anew whenever the component is shown or the folder changes. */
export function useScriptFiles(): FolderFiles {
  const api = useApi();
  const source = useLabStore((state) => state.lab?.experiment.script?.source);
  const labId = useLabStore((state) => state.lab?.id);
  const path = source?.type === 'folder' ? source.path : undefined;
  useEffect(() => {
    const timer = setTimeout(() => void readScriptFiles(api), pause);
    return () => clearTimeout(timer);
  }, [api, labId, path]);
  return useScriptFilesStore(({ key, files }) => (key === sourceKey() ? files : unknown));
}
