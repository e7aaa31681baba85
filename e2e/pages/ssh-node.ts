/** A lab with a node that is reached over SSH, and listening sockets for it. */
import type { Server } from 'node:net';
import { expect, type Page } from '@playwright/test';
import { choose, drawNode, inspector, newLab, selectNode, setField } from './lab-page.ts';

/** A new lab with one node N1, with user root at this address. */
export async function drawSshNode(page: Page, host: string, port: number, method: string): Promise<void> {
  await newLab(page);
  await drawNode(page, 'CPU node', { x: 0.4, y: 0.3 });
  await selectNode(page, 'N1');
  await inspector(page).getByText('SSH', { exact: true }).click();
  await setField(page, 'SSH host', host);
  await setField(page, 'SSH port', String(port));
  await setField(page, 'SSH user', 'root');
  await choose(page, 'Log in with', method);
  await expect(page.getByText('Saved', { exact: true })).toBeVisible();
}

/** Starts listening on this computer; returns the port. */
export const listening = (server: Server): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : 0);
    });
  });
