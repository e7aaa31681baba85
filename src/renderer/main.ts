/**
 * The page's entry: loads the window's program, and the page again where it does not arrive. Where the computer's network
 * changes meanwhile (a VPN, another Wi-Fi, links that this app emulates), browsers end all requests, also those to this computer.
 */
import './main.css';

const storedKey = 'ringlab.loading';
const maxReloads = 5;
const firstPauseMs = 300;

import('./start.tsx').then(
  () => window.sessionStorage.removeItem(storedKey),
  (error: unknown) => {
    const before = Number(window.sessionStorage.getItem(storedKey) ?? 0);
    // The page says that it can be reloaded.
    if (before >= maxReloads) throw error;
    window.sessionStorage.setItem(storedKey, String(before + 1));
    window.setTimeout(() => window.location.reload(), firstPauseMs * 2 ** before);
  },
);
