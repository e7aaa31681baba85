/** A file of the script's folder: looked at, edited, saved; changes are neither lost nor written over others. */
import { Button, Modal, Select } from '@mantine/core';
import { useCallback, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { toWireError, type WireError } from '../../../../shared/base/errors.ts';
import { loadPart, useApi } from '../../../api/index.ts';
import {
  openScript,
  saveNow,
  useLabId,
  useScriptEditor,
  useScriptFiles,
  type OpenScript,
} from '../../../state/index.ts';
import { ErrorNote, useFocusBack } from '../../../ui/index.ts';
import classes from './ScriptEditor.module.css';
import type { ScriptView } from '../../../ui/editor/script-view.ts';

/** What was asked for while there are unsaved changes. */
type Asked = { readonly to: OpenScript | undefined };

export function ScriptEditor({ open }: { open: OpenScript }) {
  const { t } = useTranslation();
  useFocusBack();
  const files = useScriptFiles();
  const [asked, setAsked] = useState<Asked>();
  const editing = useEditing(open, t('script.editor.text', { file: open.file }));
  const { state, error } = editing;
  const go = (to: OpenScript | undefined): void => {
    if (state === 'changed' || state === 'saving') setAsked({ to });
    else openScript(to);
  };
  const labId = useLabId();
  // They are those of the lab that is shown.
  const names =
    files.state === 'known' && open.labId === labId ? files.found.files.map(({ path }) => path) : [];
  return (
    <Modal
      opened
      onClose={() => go(undefined)}
      size="min(1080px, 92vw)"
      closeOnClickOutside={false}
      closeButtonProps={{ 'aria-label': t('script.editor.close') }}
      title={t('script.editor.title', { file: open.file })}
    >
      <div className={classes.bar}>
        <Select
          size="xs"
          className={classes.files ?? ''}
          aria-label={t('script.editor.file')}
          searchable
          comboboxProps={{ zIndex: 400 }}
          value={open.file}
          data={[...new Set([open.file, ...names])]}
          onChange={(file) => {
            if (file !== null && file !== open.file) go({ labId: open.labId, file });
          }}
        />
        <span role="status" className={classes.state}>
          {state === 'none' || state === 'read' ? '' : t(`script.editor.${state}`)}
        </span>
        <Button
          size="xs"
          disabled={state !== 'changed'}
          loading={state === 'saving'}
          onClick={() => void editing.save()}
        >
          {t('script.editor.save')}
        </Button>
      </div>
      {error !== undefined && (
        <div className={classes.note}>
          <ErrorNote error={error} />
          {error.code === 'script_changed' && (
            <div className={classes.buttons}>
              <Button variant="default" onClick={() => void editing.read()}>
                {t('script.editor.readAgain')}
              </Button>
              <Button variant="outline" color="red" onClick={() => void editing.saveOver()}>
                {t('script.editor.saveOver')}
              </Button>
            </div>
          )}
        </div>
      )}
      {asked !== undefined && (
        <div className={classes.note} role="alertdialog" aria-label={t('script.editor.unsaved')}>
          <p>{t('script.editor.unsavedText', { file: open.file })}</p>
          <div className={classes.buttons}>
            <Button
              data-autofocus
              onClick={() =>
                void editing.save().then((saved) => {
                  setAsked(undefined);
                  if (saved) openScript(asked.to);
                })
              }
            >
              {t('script.editor.saveFirst')}
            </Button>
            <Button variant="outline" color="red" onClick={() => openScript(asked.to)}>
              {t('script.editor.discard')}
            </Button>
            <Button variant="default" onClick={() => setAsked(undefined)}>
              {t('script.editor.goOn')}
            </Button>
          </div>
        </div>
      )}
      <div ref={editing.place} className={classes.text} />
      <p className={classes.hint}>{t('script.editor.hint')}</p>
    </Modal>
  );
}

type EditingState = 'none' | 'read' | 'changed' | 'saving' | 'saved';

/** One file in a CodeMirror of its own. */
function useEditing(open: OpenScript, label: string) {
  const api = useApi();
  const { labId, file, line } = open;
  const place = useRef<HTMLDivElement>(null);
  const view = useRef<ScriptView>(undefined);
  /** Hash of the content that was read or saved last. */
  const known = useRef('');
  const [state, setState] = useState<EditingState>('none');
  const [error, setError] = useState<WireError>();
  const saveRef = useRef<() => void>(() => undefined);
  // Another language is no reason to read the file again: unsaved text would be lost.
  const labelRef = useRef(label);
  labelRef.current = label;
  useEffect(() => view.current?.setLabel(label), [label]);

  const save = useCallback(async (): Promise<boolean> => {
    if (view.current === undefined) return false;
    const text = view.current.text();
    setState('saving');
    setError(undefined);
    try {
      known.current = (await api.call('script.save', { labId, file, text, sha256: known.current })).sha256;
      const isSame = view.current.text() === text;
      setState(isSame ? 'saved' : 'changed');
      return isSame;
    } catch (caught) {
      setState('changed');
      setError(toWireError(caught));
      return false;
    }
  }, [api, labId, file]);
  saveRef.current = () => void save();

  const read = useCallback(
    async (isWanted: () => boolean = () => true): Promise<void> => {
      try {
        await saveNow(api);
        const [{ text, sha256 }, { createScriptView }] = await Promise.all([
          api.call('script.read', { labId, file }),
          loadPart(() => import('../../../ui/editor/script-view.ts')),
        ]);
        const parent = place.current;
        if (!isWanted() || parent === null) return;
        view.current?.close();
        known.current = sha256;
        view.current = createScriptView({
          parent,
          text,
          file,
          line,
          label: labelRef.current,
          onChange: () => setState('changed'),
          onSave: () => saveRef.current(),
        });
        setState('read');
        setError(undefined);
      } catch (caught) {
        if (isWanted()) setError(toWireError(caught));
      }
    },
    [api, labId, file, line],
  );

  useEffect(() => {
    let wanted = true;
    setState('none');
    setError(undefined);
    void read(() => wanted);
    return () => {
      wanted = false;
      view.current?.close();
      view.current = undefined;
    };
  }, [read]);

  const unsaved = state === 'changed' || state === 'saving';
  useEffect(() => {
    if (!unsaved) return;
    useScriptEditor.setState({ unsaved });
    const warn = (event: BeforeUnloadEvent): void => event.preventDefault();
    window.addEventListener('beforeunload', warn);
    return () => {
      useScriptEditor.setState({ unsaved: false });
      window.removeEventListener('beforeunload', warn);
    };
  }, [unsaved]);

  useEffect(() => {
    // Edited in another program meanwhile: without changes here the newer text is shown, with them it is said.
    const look = (): void => {
      api.call('script.read', { labId, file }).then(
        ({ sha256 }) => {
          if (known.current === '' || sha256 === known.current || state === 'saving') return;
          if (state === 'changed') setError({ code: 'script_changed', params: { path: file }, where: file });
          else void read();
        },
        () => undefined,
      );
    };
    window.addEventListener('focus', look);
    return () => window.removeEventListener('focus', look);
  }, [api, labId, file, state, read]);

  return {
    place,
    state,
    error,
    save,
    read: () => read(),
    async saveOver(): Promise<void> {
      try {
        known.current = (await api.call('script.read', { labId, file })).sha256;
      } catch (caught) {
        setError(toWireError(caught));
        return;
      }
      await save();
    },
  };
}
