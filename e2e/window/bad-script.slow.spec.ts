/** An own script that cannot run, as its user sees it in the window: the reason, and the way to what is to be corrected. */
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, test } from '../fixtures.ts';
import {
  inspector,
  openExample,
  runExperiment,
  setField,
  showPage,
  waitForState,
} from '../pages/lab-page.ts';
import { violations } from '../pages/rules.ts';

test('a script that is missing, has a syntax error, or is in a repository with a password', async ({
  page,
  app,
  dataFolder,
}, info) => {
  const folder = `${dataFolder}-code`;
  await mkdir(folder);
  await writeFile(join(folder, 'train.py'), 'import os\n\ndef f(:\n');
  const server = createServer((_, response) =>
    response.writeHead(401, { 'WWW-Authenticate': 'Basic' }).end(),
  );
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  // Listening on TCP, it has an address with a port.
  const { port } = server.address() as AddressInfo;
  try {
    await page.goto(app.url);
    await openExample(page);
    await showPage(page, 'Experiment');
    await inspector(page).getByRole('radiogroup', { name: 'Trainer' }).getByText('Own script').click();
    await setField(page, 'Folder on this computer', folder);
    await expect(inspector(page).getByText(/^Sent to the nodes: 1 file, \d+ B$/)).toBeVisible();

    // No such script: said at its field, and no run starts.
    await setField(page, 'Script', 'absent.py');
    await runExperiment(page);
    const problems = page.getByRole('dialog', { name: 'to fill in' });
    await problems.getByRole('button', { name: /has no file “absent\.py”/ }).click();
    const file = inspector(page).getByRole('combobox', { name: 'Script', exact: true });
    await expect(file).toBeFocused();
    await page.screenshot({ path: info.outputPath('no-such-script.png') });

    // A syntax error: found before anything is installed; one click leads to the line.
    await setField(page, 'Script', 'train.py');
    await runExperiment(page);
    await waitForState(page, 'failed');
    await expect(
      page.getByText(/Python cannot compile train\.py: line 3: SyntaxError/).first(),
    ).toBeVisible();
    await page.screenshot({ path: info.outputPath('syntax-error.png') });
    expect(await violations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Open train.py at line 3' }).click();
    const editor = page.getByRole('dialog', { name: 'Code: train.py' });
    await expect(editor.getByRole('textbox', { name: 'Text of train.py' })).toBeFocused();
    await page.keyboard.press('Home');
    await page.keyboard.press('Shift+End');
    await page.keyboard.type('print("corrected")');
    await page.keyboard.press('Control+s');
    await expect(editor.getByText('Saved on this computer')).toBeVisible();
    expect(await readFile(join(folder, 'train.py'), 'utf8')).toBe('import os\n\nprint("corrected")\n');
    await page.keyboard.press('Escape');
    await expect(editor).toBeHidden();

    // A repository that wants a password: no question, and what helps.
    await showPage(page, 'Experiment');
    await inspector(page).getByText('Git repository', { exact: true }).click();
    await setField(page, 'Address', `http://127.0.0.1:${port}/private.git`);
    await runExperiment(page);
    await expect(page.getByText(/private\.git wants a login/).first()).toBeVisible({ timeout: 60_000 });
    await expect(page.getByText(/Give git a key or a credential helper/).first()).toBeVisible();
    await page.screenshot({ path: info.outputPath('password.png') });
  } finally {
    server.close();
    await rm(folder, { recursive: true, force: true });
  }
});
