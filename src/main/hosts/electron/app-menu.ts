/** macOS needs a menu for its editing keys; elsewhere Chromium knows them, and the window has its own buttons. */
import { Menu } from 'electron';

export function setMenu(platform: NodeJS.Platform): void {
  Menu.setApplicationMenu(
    platform === 'darwin'
      ? Menu.buildFromTemplate([{ role: 'appMenu' }, { role: 'editMenu' }, { role: 'windowMenu' }])
      : null,
  );
}
