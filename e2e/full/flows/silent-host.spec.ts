/** A host that accepts the connection but sends nothing: the window reports it after SSH's time-out. */
import { createServer } from 'node:net';
import { expect, test } from '../../fixtures.ts';
import { inspector } from '../../pages/lab-page.ts';
import { drawSshNode, listening } from '../../pages/ssh-node.ts';

test('a host that hangs after the TCP handshake is reported', async ({ page, app }) => {
  const hung = createServer(() => undefined);
  const port = await listening(hung);
  await page.goto(app.url);
  await drawSshNode(page, '127.0.0.1', port, 'Password');
  await page.getByRole('button', { name: 'Test connection' }).click();
  await expect(
    inspector(page)
      .getByText(/accepted the connection but said nothing for/)
      .first(),
  ).toBeVisible({ timeout: 60_000 });
  hung.close();
});
