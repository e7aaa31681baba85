/** The app menu: macOS needs it for editing keys; elsewhere Chromium has them, and the window has its own buttons. */
import { Menu } from 'electron';

export function setMenu(platform: NodeJS.Platform): void {
  Menu.setApplicationMenu(
    platform === 'darwin'
      ? Menu.buildFromTemplate([{ role: 'appMenu' }, { role: 'editMenu' }, { role: 'windowMenu' }])
      : null,
  );
}
