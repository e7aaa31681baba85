/**
 * Drafts: text in a field that is not a valid value. A draft is kept until it is corrected, even while another node is shown.
 * The document contains only valid values.
 */
import { create } from 'zustand';
import type { LabDocument } from '../../shared/lab/lab.ts';

export interface Draft {
  readonly text: string;
  /** Why it is invalid, in the user's language; absent for a valid value. */
  readonly problem?: string;
  /** The field's label, for the list of problems. */
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

/** Fields with invalid text: a run would use the old values, so it is not started. Those of removed parts do not count. */
export function badDrafts(
  drafts: Readonly<Record<string, Draft>>,
  lab: Pick<LabDocument, 'nodes' | 'links' | 'annotations'> | undefined,
): readonly BadDraft[] {
  const parts: Readonly<Record<string, readonly { readonly id: string }[] | undefined>> = {
    node: lab?.nodes,
    link: lab?.links,
    annotation: lab?.annotations ?? [],
  };
  const isThere = (part = '', id?: string): boolean =>
    !Object.hasOwn(parts, part) || parts[part]?.some((one) => one.id === id) === true;
  return Object.entries(drafts).flatMap(([key, { label, problem }]) => {
    const [part, id] = key.split('.');
    return problem !== undefined && isThere(part, id) ? [{ key, label, problem }] : [];
  });
}
