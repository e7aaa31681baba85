/**
 * What is typed in a field and is no value (yet): kept until it is corrected, also while another node is looked at.
 * The document only ever has values.
 */
import { create } from 'zustand';
import type { LabDocument } from '../../shared/lab/lab.ts';

export interface Draft {
  readonly text: string;
  /** Why it is no value, in the user's language; absent where it is one. */
  readonly problem?: string;
  /** The field's label, for the list of what is wrong. */
  readonly label: string;
}

export const useDraftStore = create<{ readonly drafts: Readonly<Record<string, Draft>> }>(() => ({
  drafts: {},
}));

export const putDraft = (key: string, draft: Draft): void =>
  useDraftStore.setState((now) => ({ drafts: { ...now.drafts, [key]: draft } }));

export function dropDraft(key: string): void {
  useDraftStore.setState((now) =>
    key in now.drafts
      ? { drafts: Object.fromEntries(Object.entries(now.drafts).filter(([one]) => one !== key)) }
      : now,
  );
}

export const dropAllDrafts = (): void => useDraftStore.setState({ drafts: {} });
export const useDraft = (key: string): Draft | undefined => useDraftStore((state) => state.drafts[key]);

export interface BadDraft {
  readonly key: string;
  readonly label: string;
  readonly problem: string;
}

/** Fields whose text is no value: a run would use the old one, so it is not started. Those of removed parts do not count. */
export function badDrafts(
  drafts: Readonly<Record<string, Draft>>,
  lab: Pick<LabDocument, 'nodes' | 'links'> | undefined,
): readonly BadDraft[] {
  const isThere = (part: string | undefined, id: string | undefined): boolean =>
    part === 'node'
      ? lab?.nodes.some((node) => node.id === id) === true
      : part !== 'link' || lab?.links.some((link) => link.id === id) === true;
  return Object.entries(drafts).flatMap(([key, { label, problem }]) => {
    const [part, id] = key.split('.');
    return problem !== undefined && isThere(part, id) ? [{ key, label, problem }] : [];
  });
}
