/** A node that cannot download: the window reports it, and lends this computer's connection if the user agrees. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { defaultPlacement, emptyLab } from '../../../src/shared/lab/lab.ts';
import { startSshd } from '../../../src/main/ssh/testing/sshd.ts';
import { expect, test } from '../../fixtures.ts';
import { importLab, inspector, nodeCard, openExample, selectNode, setField } from '../../pages/lab-page.ts';

/** A port without a listener on the node and on this computer; a lent connection never leads to this computer. */
const nowhere = 'http://127.0.0.1:9/set.tar';

test('lending is off, offered where a download fails, and shown while it is on', async ({
  page,
  app,
  dataFolder,
  browser,
}, info) => {
  test.setTimeout(240_000);
  const sshd = await startSshd();
  try {
    const lab = emptyLab('lending', 'lending');
    const authentication = { method: 'key', keyFile: sshd.keyFile } as const;
    const file = join(dataFolder, 'lending.lab.json');
    await writeFile(
      file,
      JSON.stringify({
        ...lab,
        nodes: [
          {
            id: 'n0',
            name: 'anna',
            kind: 'cpu',
            position: { x: 200, y: 200 },
            placement: defaultPlacement('cpu'),
            access: { type: 'ssh', host: sshd.host, port: sshd.port, user: sshd.user, authentication },
          },
        ],
        experiment: {
          ...lab.experiment,
          data: { type: 'url', urls: [nowhere], sha256: '0'.repeat(64) },
        },
      }),
    );
    await page.goto(app.url);
    await openExample(page);
    await importLab(page, file);
    await expect(page.getByText(`anna: keyFile = ${sshd.keyFile}`)).toBeVisible();
    await selectNode(page, 'anna');
    await setField(page, 'Key file', sshd.keyFile);
    const lend = inspector(page).getByRole('switch', { name: 'Lend it this computer’s internet connection' });
    await expect(lend).not.toBeChecked();
    await inspector(page).getByRole('button', { name: 'Prepare node', exact: true }).click();
    await page
      .getByRole('dialog', { name: 'Trust this machine?' })
      .getByRole('button', { name: 'Trust' })
      .click();
    const offer = inspector(page).getByRole('button', {
      name: 'Lend it this computer’s connection',
      exact: true,
    });
    await expect(offer).toBeVisible({ timeout: 90_000 });
    await expect(inspector(page).getByText('The node seems to have no way into the internet')).toBeVisible();
    await offer.scrollIntoViewIfNeeded();
    await page.screenshot({ path: info.outputPath('offline.png') });
    await offer.press('Enter');
    // The switch alone lends nothing, since a lab from elsewhere may have set it.
    const question = page.getByRole('dialog', { name: 'Lend anna this computer’s internet connection?' });
    await question.screenshot({ path: info.outputPath('question.png') });
    await question.getByRole('button', { name: 'Lend it', exact: true }).click();
    await expect(lend).toBeChecked();
    await expect(inspector(page).getByText(/^(Lent|In use) · ↓ 0 B ↑ 0 B$/)).toBeVisible();
    await lend.scrollIntoViewIfNeeded();
    await page.screenshot({ path: info.outputPath('lent.png') });
    await expect(inspector(page).locator('[data-step=data][data-state=failed]')).toBeVisible({
      timeout: 90_000,
    });
    await expect(inspector(page).locator('[data-step=verify][data-state=done]')).toBeVisible();
    await inspector(page).getByRole('button', { name: 'Test connection' }).click();
    const tried = inspector(page).getByText(/127\.0\.0\.1:9\b.* not reached$/);
    await expect(tried).toBeVisible({ timeout: 60_000 });
    await tried.scrollIntoViewIfNeeded();
    await page.screenshot({ path: info.outputPath('facts.png') });
    const context = await browser.newContext({
      locale: 'zh-CN',
      colorScheme: 'dark',
      viewport: page.viewportSize(),
    });
    const view = await context.newPage();
    await view.goto(app.url);
    await nodeCard(view, 'anna').click();
    await view.getByRole('switch', { name: '将本机的互联网连接借给该节点' }).scrollIntoViewIfNeeded();
    await view.screenshot({ path: info.outputPath('zh-dark.png') });
    await view.getByText('Debian GNU/Linux').first().click();
    await view.getByText(/^.*无法到达 .*127\.0\.0\.1:9$/).scrollIntoViewIfNeeded();
    await view.screenshot({ path: info.outputPath('facts-zh-dark.png') });
    await context.close();
  } finally {
    await sshd.stop();
  }
});
