/** Encrypted traffic between nodes: the setting, its preparation step, and the commands that it would run. */
import { expect, test } from '../fixtures.ts';
import { choose, inspector, openExample, selectNode, showPage } from '../pages/lab-page.ts';

test('encryption is off, switched on in the experiment, and planned with its commands', async ({
  page,
  app,
}, info) => {
  test.setTimeout(180_000);
  await page.goto(app.url);
  await openExample(page);
  await showPage(page, 'Experiment');
  const label = 'Encrypt traffic between nodes (WireGuard)';
  const field = inspector(page).getByRole('combobox', { name: label, exact: true });
  await expect(field).toHaveValue('Off');
  await choose(page, label, 'On (root on the nodes, one UDP port)');
  await expect(field).toHaveValue('On (root on the nodes, one UDP port)');
  await field.scrollIntoViewIfNeeded();
  await page.screenshot({ path: info.outputPath('setting.png') });

  await selectNode(page, 'N1');
  await inspector(page).getByRole('button', { name: 'Dry run: show the changes', exact: true }).click();
  const planned = inspector(page).getByText('Make a private key for the encrypted network on the node');
  await expect(planned).toBeVisible({ timeout: 90_000 });
  await planned.scrollIntoViewIfNeeded();
  await page.screenshot({ path: info.outputPath('plan.png') });
  await expect(inspector(page).getByText('with the public keys of all nodes')).toBeVisible();

  await page.keyboard.press('Escape');
  await page.keyboard.press('Control+,');
  await page.getByRole('dialog', { name: 'Settings' }).getByText('简体中文', { exact: true }).click();
  await page.getByRole('dialog', { name: '设置' }).waitFor();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toBeHidden();
  const chinese = page.getByRole('combobox', { name: '节点间加密（WireGuard）', exact: true });
  await page.getByRole('tab', { name: '实验', exact: true }).click();
  await chinese.scrollIntoViewIfNeeded();
  await expect(chinese).toHaveValue('开启（节点需 root 和一个 UDP 端口）');
  await page.screenshot({ path: info.outputPath('setting-zh.png') });
});
