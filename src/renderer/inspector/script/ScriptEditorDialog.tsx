/** The editor of the script's files, loaded when the first one is opened. */
import { lazy, Suspense } from 'react';
import { useLabId, useScriptEditor } from '../../state/index.ts';

const ScriptEditor = lazy(async () => ({
  default: (await import('./editor/ScriptEditor.tsx')).ScriptEditor,
}));

export function ScriptEditorDialog() {
  const labId = useLabId();
  const open = useScriptEditor((state) => state.open);
  if (open === undefined || open.labId !== labId) return null;
  return (
    <Suspense fallback={null}>
      <ScriptEditor open={open} />
    </Suspense>
  );
}
