/** Chains of jump hosts from the user's SSH configuration: imported, each host key confirmed, and connected through. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { startSshd, type Sshd } from '../../src/main/ssh/testing/sshd.ts';
import { cards } from '../pages/canvas-page.ts';
import { inspector, labMenu, newLab, nodeCard } from '../pages/lab-page.ts';
import { expect, test } from '../shared-app.ts';

const hostOf = (alias: string, { host, port, user, keyFile }: Sshd, more = ''): string =>
  `Host ${alias}\n  HostName ${host}\n  Port ${port}\n  User ${user}\n  IdentityFile ${keyFile}\n${more}`;

async function openTerminal(page: Page, node: string): Promise<void> {
  await nodeCard(page, node).click({ button: 'right' });
  await page.getByRole('menuitem', { name: /^Open a terminal/ }).click();
}

test('`ProxyJump a,b` and nested jump hosts are kept and used for the connection, and named when one dies', async ({
  page,
  app,
  home,
}, info) => {
  const [outer, inner, target] = [await startSshd(), await startSshd(), await startSshd()];
  try {
    await writeFile(
      join(home, '.ssh', 'config'),
      [
        hostOf('outer', outer),
        // The first form lists both in one line; in the second, each names the one before it.
        hostOf('inner', inner, '  ProxyJump outer\n'),
        hostOf('listed', target, '  ProxyJump outer,inner\n'),
        hostOf('chained', target, '  ProxyJump inner\n'),
      ].join(''),
    );
    await page.goto(app.url);
    await newLab(page);
    await labMenu(page, 'Add hosts from ~/.ssh/config…');
    const dialog = page.getByRole('dialog', { name: 'Hosts from your SSH configuration' });
    await dialog.getByRole('checkbox', { name: 'listed', exact: true }).click();
    await dialog.getByRole('checkbox', { name: 'chained' }).click();
    await page.screenshot({ path: info.outputPath('hosts.png') });
    await dialog.getByRole('button', { name: 'Add 2 nodes' }).click();
    await expect(cards(page)).toHaveCount(2);
    for (const name of ['listed', 'chained']) {
      await nodeCard(page, name).click();
      const hops = inspector(page).getByLabel(/^Jump port/);
      await expect(hops).toHaveCount(2);
      const ports = await hops.evaluateAll((fields) =>
        fields.map((field) => (field as HTMLInputElement).value),
      );
      expect(ports.map(Number).sort()).toEqual([outer.port, inner.port].sort());
    }
    await page.screenshot({ path: info.outputPath('chain.png') });

    await openTerminal(page, 'listed');
    // Each host of the chain shows its own key, from the first one on.
    for (const { hostKeyFingerprint } of [outer, inner, target]) {
      const question = page.getByRole('dialog', { name: 'Trust this machine?' });
      await expect(question).toContainText(hostKeyFingerprint);
      await question.getByRole('button', { name: 'Trust' }).click();
    }
    await expect(page.getByRole('tab', { name: 'listed connected' })).toBeVisible();
    const screen = page.getByRole('tabpanel', { name: 'Terminal on listed' });
    await screen.click();
    await page.keyboard.type('echo "through-$((1+1)) $SSH_CONNECTION"\n');
    await expect(screen.locator('.xterm-accessibility-tree')).toContainText('through-2 127.0.0.1');
    await openTerminal(page, 'chained');
    await expect(page.getByRole('tab', { name: 'chained connected' })).toBeVisible();
    for (const hop of [outer, inner]) expect(hop.log()).toContain('Accepted publickey');

    await inner.stop();
    await expect(page.getByRole('tabpanel', { name: 'Terminal on chained' })).toContainText(
      new RegExp(`${inner.user}@127\\.0\\.0\\.1:${inner.port}`),
    );
    await page.screenshot({ path: info.outputPath('died.png') });
  } finally {
    for (const sshd of [target, inner, outer]) await sshd.stop();
  }
});
