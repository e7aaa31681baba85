// @vitest-environment jsdom
/** The editor of a script keeps what is typed in it. */
import { MantineProvider } from '@mantine/core';
import { act, cleanup, render, screen, waitFor } from '@testing-library/react';
import { EditorView } from '@codemirror/view';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { standIn } from '../../../api/client.fixture.ts';
import { ApiProvider } from '../../../api/index.ts';
import { setLanguage, startI18n } from '../../../i18n/index.ts';
import { furnishBrowser } from '../../../shell/window.fixture.tsx';
import { useScriptEditor } from '../../../state/index.ts';
import { mantineTheme } from '../../../theme/index.ts';
import { ScriptEditor } from './ScriptEditor.tsx';

beforeEach(async () => {
  furnishBrowser();
  await startI18n('en');
  // jsdom has no layout, and CodeMirror measures its lines.
  Range.prototype.getClientRects = () => document.createElement('i').getClientRects();
});
afterEach(cleanup);

it('keeps unsaved text when the language changes, and its name follows', async () => {
  const { client } = standIn({ 'script.read': () => ({ text: 'import torch\n', sha256: 'a'.repeat(64) }) });
  render(
    <MantineProvider theme={mantineTheme}>
      <ApiProvider value={client}>
        <ScriptEditor open={{ labId: 'lab', file: 'train.py' }} />
      </ApiProvider>
    </MantineProvider>,
  );
  const text = await screen.findByRole('textbox', { name: 'Text of train.py' }, { timeout: 30_000 });
  const view = EditorView.findFromDOM(text);
  act(() => view?.dispatch({ changes: { from: 0, insert: '# mine\n' } }));
  await waitFor(() => expect(useScriptEditor.getState().unsaved).toBe(true));
  await act(() => setLanguage('zh-CN'));
  const named = await screen.findByRole('textbox', { name: 'train.py 的文本' }, { timeout: 30_000 });
  expect(named.textContent).toContain('# mine');
  expect(useScriptEditor.getState().unsaved).toBe(true);
});
