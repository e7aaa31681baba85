/** Which file of the script's folder is open in the editor. */
import { create } from 'zustand';

export interface OpenScript {
  readonly labId: string;
  /** Relative to the script's folder. */
  readonly file: string;
  /** Where the cursor goes, from 1. */
  readonly line?: number | undefined;
}

export const useScriptEditor = create<{ readonly open: OpenScript | undefined }>(() => ({ open: undefined }));

export const openScript = (open: OpenScript | undefined): void => useScriptEditor.setState({ open });
