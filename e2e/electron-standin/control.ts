/** The messages between the test and the process that runs the fake Electron. */

/** What the fake reports about the host's actions. */
export type Report =
  | { what: 'window'; options: unknown; privileges: unknown }
  | { what: 'endpoint'; endpoint: string }
  | { what: 'shown' }
  | { what: 'navigation'; url: string; allowed: boolean }
  | { what: 'open'; url: string; action: string }
  | { what: 'outside'; url: string }
  | { what: 'notification'; title: string; body: string }
  | { what: 'question'; message: string; buttons: string[] }
  | { what: 'error-box'; title: string; content: string }
  | { what: 'permission'; permission: string; asked: boolean; checked: boolean };

/** The test's commands. */
export type Order =
  | { order: 'save-to'; path: string | undefined }
  /** The button that answers the next message boxes. */
  | { order: 'press'; button: number }
  | { order: 'ask-permission'; permission: string }
  | { order: 'send-from'; url: string; message: unknown };

export const report = (message: Report): void => {
  process.send?.(message);
};
