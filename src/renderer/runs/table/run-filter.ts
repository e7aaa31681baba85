/** Filters the runs of a lab for the table. Pure functions. */
import type { RunSummary } from '../../../shared/contract/api.ts';
import { settingNames, settingOf } from '../../../shared/run/run-settings.ts';

export const scopes = ['open', 'starred', 'archived', 'bin'] as const;
export type Scope = (typeof scopes)[number];

/** Runs in the bin come from another list: the window's own list does not contain them. */
export const inScope = (run: RunSummary, scope: Scope): boolean =>
  scope === 'bin' ||
  (scope === 'archived'
    ? run.archivedAt !== undefined
    : run.archivedAt === undefined && (scope === 'open' || run.starred === true));

/** 'lr:0.1', the users' short form, beside the settings' own names. */
const shortNames: Readonly<Record<string, string>> = {
  lr: 'learningRate',
  batch: 'batchSize',
  arch: 'architecture',
  ranks: 'worldSize',
};

/**
 * All terms must match: `#tag` a tag, `setting:value` a setting (`lr:0.1`, `architecture:resnet18`), any other term
 * the name, the notes, the state, a tag or a setting.
 * @param stateWord the run's state in the user's language
 */
export function matches(run: RunSummary, query: string, stateWord: string): boolean {
  const terms = query.toLowerCase().split(/\s+/).filter(Boolean);
  if (terms.length === 0) return true;
  const tags = (run.tags ?? []).map((tag) => tag.toLowerCase());
  const settings = settingNames.map((name) => [
    name.toLowerCase(),
    String(settingOf(run, name)).toLowerCase(),
  ]);
  const texts = [run.name, run.notes, stateWord, run.id].map((text) => text.toLowerCase());
  return terms.every((word) => {
    if (word.length > 1 && word.startsWith('#')) return tags.some((tag) => tag.startsWith(word.slice(1)));
    const colon = word.indexOf(':');
    if (colon > 0) {
      const prefix = word.slice(0, colon);
      const name = (shortNames[prefix] ?? prefix).toLowerCase();
      const found = settings.find(([known]) => known === name);
      if (found !== undefined) return found[1] === word.slice(colon + 1);
    }
    return (
      [...texts, ...tags].some((text) => text.includes(word)) || settings.some(([, value]) => value === word)
    );
  });
}
