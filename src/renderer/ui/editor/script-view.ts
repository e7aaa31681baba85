/** CodeMirror in the window's colours, for Python and for differences. Loaded with the first file that is opened. */
import { indentWithTab } from '@codemirror/commands';
import { python } from '@codemirror/lang-python';
import { HighlightStyle, indentUnit, syntaxHighlighting } from '@codemirror/language';
import { EditorState, RangeSetBuilder, type Extension } from '@codemirror/state';
import { Decoration, EditorView, keymap } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { basicSetup } from 'codemirror';
import { diffLineKinds } from '../../../shared/run/code-files.ts';

interface TextView {
  text(): string;
  close(): void;
}

export interface ScriptView extends TextView {
  /** The accessible name in another language: the text stays. */
  setLabel(label: string): void;
}

interface ShownText {
  readonly parent: HTMLElement;
  readonly text: string;
  /** Named by its ending: Python is coloured as such. */
  readonly file: string;
  readonly label: string;
}

export interface ScriptViewOptions extends ShownText {
  /** Where the cursor goes, from 1. */
  readonly line?: number | undefined;
  readonly onChange: () => void;
  readonly onSave: () => void;
}

const colours = HighlightStyle.define([
  { tag: [tags.keyword, tags.controlKeyword, tags.modifier], color: 'var(--rl-note-violet)' },
  { tag: [tags.string, tags.special(tags.string)], color: 'var(--rl-note-green)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--rl-note-red)' },
  { tag: [tags.function(tags.variableName), tags.definition(tags.className)], color: 'var(--rl-note-blue)' },
  { tag: tags.comment, color: 'var(--rl-faint)' },
]);

const look = EditorView.theme({
  '&': {
    height: '100%',
    fontSize: 'var(--rl-text-md)',
    backgroundColor: 'var(--rl-panel)',
    color: 'var(--rl-text)',
  },
  '&.cm-focused': { outline: '2px solid var(--rl-accent)', outlineOffset: '-2px' },
  '.cm-scroller': { fontFamily: 'var(--rl-mono)', lineHeight: '1.5' },
  '.cm-content': { caretColor: 'var(--rl-text)' },
  '.cm-cursor, .cm-dropCursor': { borderLeftColor: 'var(--rl-text)' },
  '.cm-gutters': {
    backgroundColor: 'var(--rl-panel)',
    color: 'var(--rl-faint)',
    borderRight: '1px solid var(--rl-border)',
  },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'transparent' },
  '.cm-activeLineGutter': { color: 'var(--rl-text)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'var(--rl-accent-soft)',
  },
  '.cm-panels, .cm-tooltip': { backgroundColor: 'var(--rl-raised)', color: 'var(--rl-text)' },
  '.cm-panels button, .cm-panels input': {
    backgroundColor: 'var(--rl-sunken)',
    backgroundImage: 'none',
    color: 'var(--rl-text)',
    border: '1px solid var(--rl-border-strong)',
  },
  // The sign at a line's start says the same as its colour.
  '.cm-diff-added': { color: 'var(--rl-note-green)' },
  '.cm-diff-removed': { color: 'var(--rl-note-red)' },
  '.cm-diff-place': { color: 'var(--rl-note-violet)' },
  '.cm-diff-file': { color: 'var(--rl-text)', fontWeight: '620' },
  '.cm-matchingBracket': { backgroundColor: 'var(--rl-accent-soft)' },
});

const languageOf = (file: string): readonly Extension[] =>
  /\.pyw?$/i.test(file) ? [python(), indentUnit.of('    ')] : [];

/** A text that cannot be changed; with `isDiff` its added and removed lines are marked. */
export function createCodeView({
  parent,
  text,
  file,
  label,
  isDiff,
}: ShownText & { isDiff: boolean }): TextView {
  const view = new EditorView({
    parent,
    state: EditorState.create({
      doc: text,
      extensions: [
        basicSetup,
        ...(isDiff ? [changedLines(text)] : languageOf(file)),
        syntaxHighlighting(colours),
        look,
        EditorState.readOnly.of(true),
        EditorView.contentAttributes.of({ 'aria-label': label, 'aria-readonly': 'true', tabindex: '0' }),
        EditorView.editable.of(false),
      ],
    }),
  });
  return { text: () => view.state.sliceDoc(), close: () => view.destroy() };
}

function changedLines(text: string): Extension {
  const ranges = new RangeSetBuilder<Decoration>();
  let at = 0;
  const lines = text.split('\n');
  diffLineKinds(text).forEach((kind, index) => {
    if (kind !== 'same') ranges.add(at, at, Decoration.line({ class: `cm-diff-${kind}` }));
    at += (lines[index]?.length ?? 0) + 1;
  });
  return EditorView.decorations.of(ranges.finish());
}

export function createScriptView(options: ScriptViewOptions): ScriptView {
  const { text, file, line } = options;
  let { label } = options;
  const state = EditorState.create({
    doc: text,
    extensions: [
      basicSetup,
      ...languageOf(file),
      syntaxHighlighting(colours),
      look,
      EditorView.contentAttributes.of(() => ({ 'aria-label': label })),
      // A file keeps the line breaks of Windows, where all of it has them.
      ...(/\r\n/.test(text) && !/(?<!\r)\n/.test(text) ? [EditorState.lineSeparator.of('\r\n')] : []),
      keymap.of([
        {
          key: 'Mod-s',
          preventDefault: true,
          run: () => {
            options.onSave();
            return true;
          },
        },
        indentWithTab,
      ]),
      EditorView.updateListener.of(({ docChanged }) => {
        if (docChanged) options.onChange();
      }),
    ],
  });
  const view = new EditorView({ state, parent: options.parent });
  if (line !== undefined) {
    const at = view.state.doc.line(Math.max(1, Math.min(line, view.state.doc.lines)));
    view.dispatch({
      selection: { anchor: at.from },
      effects: EditorView.scrollIntoView(at.from, { y: 'center' }),
    });
  }
  view.focus();
  return {
    text: () => view.state.sliceDoc(),
    close: () => view.destroy(),
    setLabel(next) {
      label = next;
      // Attributes are asked for at each update.
      view.dispatch({});
    },
  };
}
