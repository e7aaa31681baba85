/** A host that says nothing: the window says so after the time that SSH gives it. */
import { createServer } from 'node:net';
import { expect, test } from '../../fixtures.ts';
import { inspector } from '../../pages/lab-page.ts';
import { drawSshNode, listening } from '../../pages/ssh-node.ts';

test('a host that hangs after the TCP handshake', async ({ page, app }) => {
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
