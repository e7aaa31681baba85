/** The editor of the script's files, loaded when the first one is opened. */
import { lazy, Suspense } from 'react';
import { loadPart } from '../../api/index.ts';
import { useLabId, useScriptEditor } from '../../state/index.ts';

const ScriptEditor = lazy(async () => ({
  default: (await loadPart(() => import('./editor/ScriptEditor.tsx'))).ScriptEditor,
}));

export function ScriptEditorDialog() {
  const labId = useLabId();
  const open = useScriptEditor((state) => state.open);
  // Another lab can be shown below it (the browser's 'Back', a window that deletes this one): unsaved text stays until it is decided.
  const unsaved = useScriptEditor((state) => state.unsaved);
  if (open === undefined || (open.labId !== labId && !unsaved)) return null;
  return (
    <Suspense fallback={null}>
      <ScriptEditor open={open} />
    </Suspense>
  );
}
