/** The fields of an own script: where its code is, what starts it, its arguments; the rest behind 'More'. */
import { Badge, Button, SegmentedControl, Text } from '@mantine/core';
import { IconFileCode } from '@tabler/icons-react';
import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { splitArguments } from '../../../shared/lab/script-arguments.ts';
import { Script, ScriptSource } from '../../../shared/lab/script.ts';
import { describeCodeSize } from '../../../shared/run/code-size.ts';
import {
  asOneStep,
  editLab,
  openScript,
  useLabId,
  useLanguage,
  useScriptFiles,
  type FolderFiles,
} from '../../state/index.ts';
import { ErrorNote, FieldGroup, FieldRow, TextField, useFoldersBeside } from '../../ui/index.ts';
import { keptValues } from '../kept-values.ts';
import { MoreFields } from './MoreFields.tsx';
import type { ScriptFieldsProps } from './script-fields-props.ts';
import classes from './script.module.css';

const shape = Script.shape;
const Folder = ScriptSource.options[0].shape;
const Git = ScriptSource.options[1].shape;

export function ScriptFields(props: Omit<ScriptFieldsProps, 'change'>) {
  const { t } = useTranslation();
  const { script, issue, set } = props;
  const files = useScriptFiles();
  const change: ScriptFieldsProps['change'] = (changed, field) =>
    set({ script: { ...script, ...changed } }, `script.${field}`);
  const names = files.state === 'known' ? files.found.files.map(({ path }) => path) : [];
  const scripts = names.filter((name) => /\.pyw?$/i.test(name));
  const started = usualScript(scripts);
  const { path } = script.source.type === 'folder' ? script.source : { path: '' };
  const offered = useRef('');
  useEffect(() => {
    // Offered once for a folder: a user who empties the field wants to type another name.
    if (started === undefined || offered.current === path) return;
    offered.current = path;
    // Part of the same undo step as the folder.
    if (script.file === '')
      editLab({ type: 'experiment', change: { script: { ...script, file: started } } }, folderKey);
  }, [started, path, script]);
  return (
    <>
      <FieldGroup title={t('script.title')}>
        <SourceFields {...props} change={change} />
        {script.source.type === 'folder' && <FolderState files={files} />}
        <TextField
          fieldKey="experiment.script.file"
          path="experiment.script.file"
          label={t('script.file')}
          placeholder="train.py"
          value={script.file}
          schema={shape.file}
          issue={issue('experiment.script.file')}
          suggestions={scripts}
          onChange={(file) => change({ file: file.trim() }, 'file')}
        />
        {names.includes(script.file) && <EditButton file={script.file} />}
        <TextField
          fieldKey="experiment.script.arguments"
          path="experiment.script.arguments"
          label={t('script.arguments')}
          placeholder="--epochs 10 --lr 0.1"
          value={script.arguments}
          schema={shape.arguments}
          issue={issue('experiment.script.arguments')}
          long={/\n/.test(script.arguments)}
          onChange={(text) => change({ arguments: text }, 'arguments')}
        />
        <Words text={script.arguments} />
        <MoreFields {...props} change={change} files={names} />
      </FieldGroup>
    </>
  );
}

/** The undo step that sets the folder. */
const folderKey = 'experiment.script.source.path';

/** The script that a folder obviously means: its only one, or one with a usual name. */
function usualScript(scripts: readonly string[]): string | undefined {
  if (scripts.length === 1) return scripts[0];
  return ['train.py', 'main.py'].find((name) => scripts.includes(name));
}

/** Sources that are not chosen now, by lab and type. */
const kept = keptValues<ScriptSource>();

function SourceFields({ script, issue, change }: ScriptFieldsProps) {
  const { t } = useTranslation();
  const { source } = script;
  const labId = useLabId();
  const blank: ScriptSource =
    source.type === 'folder' ? { type: 'git', url: '' } : { type: 'folder', path: '' };
  return (
    <>
      <SegmentedControl
        fullWidth
        aria-label={t('script.source')}
        value={source.type}
        data={[
          { value: 'folder', label: t('script.folder') },
          { value: 'git', label: t('script.git') },
        ]}
        onChange={(type) => {
          if (type === source.type) return;
          kept.keep(`${labId} ${source.type}`, source);
          asOneStep(() => change({ source: kept.of(`${labId} ${type}`) ?? blank }, 'source.type'));
        }}
      />
      {source.type === 'folder' ? (
        <FolderField path={source.path} issue={issue} change={change} />
      ) : (
        <FieldRow>
          <TextField
            fieldKey="experiment.script.source.url"
            path="experiment.script.source.url"
            label={t('script.url')}
            placeholder="https://github.com/…"
            value={source.url}
            schema={Git.url}
            issue={issue('experiment.script.source.url')}
            onChange={(url) => change({ source: { ...source, url: url.trim() } }, 'source.url')}
          />
          <TextField
            fieldKey="experiment.script.source.ref"
            path="experiment.script.source.ref"
            label={t('script.ref')}
            placeholder={t('script.noRef')}
            value={source.ref ?? ''}
            schema={Git.ref.unwrap()}
            issue={issue('experiment.script.source.ref')}
            onChange={(ref) => {
              const { url } = source;
              const named = ref.trim();
              change({ source: { type: 'git', url, ...(named === '' ? {} : { ref: named }) } }, 'source.ref');
            }}
          />
        </FieldRow>
      )}
    </>
  );
}

/** A folder of this computer, completed while it is typed. */
function FolderField(props: { path: string } & Pick<ScriptFieldsProps, 'issue' | 'change'>) {
  const { t } = useTranslation();
  const { path, issue, change } = props;
  return (
    <TextField
      fieldKey={folderKey}
      path={folderKey}
      label={t('script.path')}
      placeholder="~/project"
      value={path}
      schema={Folder.path}
      issue={issue(folderKey)}
      suggestions={useFoldersBeside(path)}
      onChange={(typed) => change({ source: { type: 'folder', path: typed } }, 'source.path')}
    />
  );
}

/** What a run sends to nodes that have nothing of it yet, or why it cannot. */
function FolderState({ files }: { files: FolderFiles }) {
  const { t } = useTranslation();
  const language = useLanguage();
  if (files.state === 'failed') return <ErrorNote error={files.error} />;
  if (files.state === 'unknown') return null;
  if (files.refused !== undefined) return <ErrorNote error={files.refused} />;
  const hasScripts = files.found.files.some(({ path }) => /\.pyw?$/i.test(path));
  if (hasScripts && files.size === undefined) return null;
  return (
    <Text size="xs" c="dimmed" role="status">
      {hasScripts && files.size !== undefined
        ? describeCodeSize(files.size, language)
        : t('script.noScripts')}
    </Text>
  );
}

function EditButton({ file }: { file: string }) {
  const { t } = useTranslation();
  const labId = useLabId();
  if (labId === undefined) return null;
  return (
    <Button
      className={classes.add ?? ''}
      variant="light"
      size="compact-sm"
      leftSection={<IconFileCode size={14} />}
      onClick={() => openScript({ labId, file })}
    >
      {t('script.editor.open', { file })}
    </Button>
  );
}

/** The arguments as the script gets them, where quotes, escapes or line breaks make that less than obvious. */
function Words({ text }: { text: string }) {
  const { t } = useTranslation();
  const split = splitArguments(text);
  if (!split.ok || !/['"\\\n]/.test(text)) return null;
  return (
    <ul className={classes.words} aria-label={t('script.words')}>
      {split.words.map((word, index) => (
        <li key={index}>
          <Badge variant="default" tt="none" className={classes.word ?? ''}>
            {word === '' ? t('script.emptyWord') : word}
          </Badge>
        </li>
      ))}
    </ul>
  );
}
