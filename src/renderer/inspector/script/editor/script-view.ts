/** CodeMirror for Python in the window's colours. Loaded with the first file that is opened. */
import { indentWithTab } from '@codemirror/commands';
import { python } from '@codemirror/lang-python';
import { HighlightStyle, indentUnit, syntaxHighlighting } from '@codemirror/language';
import { EditorState } from '@codemirror/state';
import { EditorView, keymap } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { basicSetup } from 'codemirror';

export interface ScriptView {
  text(): string;
  close(): void;
}

export interface ScriptViewOptions {
  readonly parent: HTMLElement;
  readonly text: string;
  readonly file: string;
  /** Where the cursor goes, from 1. */
  readonly line?: number | undefined;
  readonly label: string;
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
  '.cm-matchingBracket': { backgroundColor: 'var(--rl-accent-soft)' },
});

export function createScriptView(options: ScriptViewOptions): ScriptView {
  const { text, file, line } = options;
  const state = EditorState.create({
    doc: text,
    extensions: [
      basicSetup,
      ...(/\.pyw?$/i.test(file) ? [python(), indentUnit.of('    ')] : []),
      syntaxHighlighting(colours),
      look,
      EditorView.contentAttributes.of({ 'aria-label': options.label }),
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
  return { text: () => view.state.sliceDoc(), close: () => view.destroy() };
}
