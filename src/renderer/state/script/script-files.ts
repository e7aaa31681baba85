/** The files in the folder of the open lab's script, and how much of it is sent: asked from main when the folder is another one. */
import { useEffect } from 'react';
import { create } from 'zustand';
import type { WireError } from '../../../shared/base/errors.ts';
import { toWireError } from '../../../shared/base/errors.ts';
import type { RequestResult } from '../../../shared/contract/api.ts';
import type { CodeSize } from '../../../shared/run/code-size.ts';
import { useApi, type LabClient } from '../../api/index.ts';
import { saveNow } from '../autosave.ts';
import { useLabStore } from '../lab.ts';

/** Debounce time in milliseconds: a path is typed character by character. */
const pause = 300;

export type FolderFiles =
  | { readonly state: 'unknown' }
  | {
      readonly state: 'known';
      readonly found: RequestResult<'script.files'>;
      /** Absent until it is known. */
      readonly size?: CodeSize;
      /** Why no run can send it. */
      readonly refused?: WireError;
    }
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
  const labId = lab.id;
  const show = (files: FolderFiles): void => {
    if (sourceKey() === key) useScriptFilesStore.setState({ key, files });
  };
  try {
    // Main reads the folder of the lab that it has stored.
    await saveNow(api);
    const found = await api.call('script.files', { labId });
    show({ state: 'known', found });
    // A large folder takes longer to count than to list.
    const counted = await api.call('script.size', { labId }).then(
      (size) => ({ size }),
      (error: unknown) => ({ refused: toWireError(error) }),
    );
    show({ state: 'known', found, ...counted });
  } catch (error) {
    show({ state: 'failed', error: toWireError(error) });
  }
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
