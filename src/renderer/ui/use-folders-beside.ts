/** Folders of this computer that complete a path while it is typed. */
import { useEffect, useState } from 'react';
import { useApi } from '../api/index.ts';

/** Empty where the path names none completely. */
function parentOf(path: string | undefined): string {
  if (path === undefined) return '';
  if (path.trim() === '') return '~/';
  return path.slice(0, Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);
}

/**
 * The paths of the folders in the last folder that the typed path names completely; empty where they cannot be listed.
 * @param path undefined: asks for none
 */
export function useFoldersBeside(path: string | undefined): readonly string[] {
  const api = useApi();
  const parent = parentOf(path);
  const [known, setKnown] = useState<{ readonly parent: string; readonly names: readonly string[] }>();
  useEffect(() => {
    if (parent === '') return;
    const asked = new AbortController();
    api.call('folder.list', { path: parent }, asked.signal).then(
      ({ folders }) => {
        if (!asked.signal.aborted) setKnown({ parent, names: folders });
      },
      // Without suggestions the path is typed.
      () => undefined,
    );
    return () => asked.abort();
  }, [api, parent]);
  return known?.parent === parent ? known.names.map((name) => parent + name) : [];
}
