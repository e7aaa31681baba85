/** Which file of the script's folder is open in the editor. */
import { create } from 'zustand';

export interface OpenScript {
  readonly labId: string;
  /** Relative to the script's folder. */
  readonly file: string;
  /** Where the cursor goes, from 1. */
  readonly line?: number | undefined;
}

interface ScriptEditor {
  readonly open: OpenScript | undefined;
  /** It has text that is not saved. */
  readonly unsaved: boolean;
}

export const useScriptEditor = create<ScriptEditor>(() => ({ open: undefined, unsaved: false }));

export const openScript = (open: OpenScript | undefined): void => useScriptEditor.setState({ open });
