/** A node that is lost during a run: a desktop notification names it, and the run continues when the node returns. */
import type { Page } from '@playwright/test';
import { startSshd, type Sshd } from '../../src/main/ssh/testing/sshd.ts';
import { startTcpProxy } from '../../src/main/ssh/testing/tcp-proxy.ts';
import { startApp } from '../app-process.ts';
import { expect, test } from '../fixtures.ts';
import {
  choose,
  drawNode,
  inspector,
  newLab,
  selectNode,
  runExperiment,
  setField,
  smallRun,
  waitForState,
} from '../pages/lab-page.ts';
import { recordNotices } from '../pages/notices.ts';

async function overSsh(page: Page, sshd: Sshd, port: number): Promise<void> {
  await selectNode(page, 'N1');
  await inspector(page).getByText('SSH', { exact: true }).click();
  await setField(page, 'SSH host', sshd.host);
  await setField(page, 'SSH port', String(port));
  await setField(page, 'SSH user', sshd.user);
  await choose(page, 'Log in with', 'Key file');
  await setField(page, 'Key file', sshd.keyFile);
}

test('a lost node is reported by its name', async ({ page, dataFolder }) => {
  const reported = await recordNotices(page);
  const sshd = await startSshd();
  const cable = await startTcpProxy(sshd.port);
  const app = await startApp(dataFolder);
  try {
    await page.goto(app.url);
    await newLab(page);
    await drawNode(page, 'CPU node', { x: 0.4, y: 0.3 });
    await overSsh(page, sshd, cable.port);
    await smallRun(page, '400');
    await runExperiment(page);
    await page
      .getByRole('dialog', { name: 'Trust this machine?' })
      .getByRole('button', { name: 'Trust' })
      .click();
    await waitForState(page, 'running');
    // New connections are dropped silently too: a link that is merely down is noticed within 45 s.
    cable.freeze();
    cable.reset();
    await waitForState(page, 'waiting', 60_000);
    await expect.poll(reported).toHaveLength(1);
    expect((await reported())[0]).toMatch(/^Ringlab: .+: Unreachable: N1\. The run continues\.$/);
    cable.thaw();
    // Connections that were accepted in between get no reply.
    cable.reset();
    await waitForState(page, 'running', 60_000);
    await page.getByRole('button', { name: 'Stop', exact: true }).click();
    await waitForState(page, 'stopped', 60_000);
    await expect.poll(reported).toHaveLength(2);
  } finally {
    await app.stop();
    await cable.stop();
    await sshd.stop();
  }
});
