/** Adds tags to the marked runs and removes them: each run keeps its other tags. */
import { Button, Modal, TagsInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { RunSummary } from '../../../shared/contract/api.ts';
import { longestTag, maxTags } from '../../../shared/run/run.ts';
import { useFocusBack } from '../../ui/index.ts';
import { useRunActions } from '../actions/index.ts';
import dialogs from '../dialogs/dialogs.module.css';

export function TagsDialog({ runs, onClose }: { runs: readonly RunSummary[]; onClose: () => void }) {
  const { t } = useTranslation();
  useFocusBack();
  const actions = useRunActions();
  const [first] = runs;
  // The tags that all marked runs have. Adding or removing one applies to each run, and leaves its other tags.
  const shared = (first?.tags ?? []).filter((tag) => runs.every((run) => run.tags?.includes(tag) === true));
  const [tags, setTags] = useState<string[]>(shared);
  const [typed, setTyped] = useState('');
  const [tooLong, setTooLong] = useState<string>();
  const tagsOf = (run: RunSummary): string[] => {
    const own = (run.tags ?? []).filter((tag) => !shared.includes(tag));
    return [...new Set([...own, ...tags])];
  };
  const full = runs.filter((run) => tagsOf(run).length > maxTags);
  const save = async (): Promise<void> => {
    onClose();
    for (const run of runs) await actions.annotate(run.id, { tags: tagsOf(run) });
  };
  const problem =
    tooLong === undefined
      ? full.length === 0
        ? undefined
        : t('runTable.tagsFull', { count: full.length, name: full[0]?.name ?? '', limit: maxTags })
      : t('runTable.tagTooLong', { tag: tooLong, limit: longestTag });
  return (
    <Modal opened onClose={onClose} title={t('runTable.tagsTitle', { count: runs.length })} zIndex={330}>
      <TagsInput
        label={t('runTable.tags')}
        description={t('runTable.tagsHint')}
        value={tags}
        data-autofocus
        comboboxProps={{ zIndex: 340 }}
        searchValue={typed}
        onSearchChange={setTyped}
        // Mantine's list would take the first Escape, although it has nothing to show.
        data-mantine-stop-propagation
        onKeyDown={(event) => {
          if (event.key !== 'Escape') return;
          if (typed === '') onClose();
          else setTyped('');
        }}
        error={problem}
        onChange={(next) => {
          const long = next.find((tag) => tag.length > longestTag);
          setTooLong(long);
          setTags(next.filter((tag) => tag.length <= longestTag));
          // Still there to be shortened.
          if (long !== undefined) setTyped(long);
        }}
      />
      <div className={dialogs.dialogButtons}>
        <Button variant="default" onClick={onClose}>
          {t('shell.cancel')}
        </Button>
        <Button disabled={full.length > 0} onClick={() => void save()}>
          {t('runs.edit.save')}
        </Button>
      </div>
    </Modal>
  );
}
