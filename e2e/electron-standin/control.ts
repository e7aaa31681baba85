/** How the test and the stand-in talk: messages between two processes of Node. */

/** What the stand-in reports of what the host did. */
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

/** What the test wants to happen. */
export type Order =
  | { order: 'save-to'; path: string | undefined }
  /** Which button of the next questions. */
  | { order: 'press'; button: number }
  | { order: 'ask-permission'; permission: string }
  | { order: 'send-from'; url: string; message: unknown };

export const report = (message: Report): void => {
  process.send?.(message);
};
