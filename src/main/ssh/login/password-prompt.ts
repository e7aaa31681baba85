/** Recognises a server's question for the account's password among those of keyboard-interactive logins. */
import type { Prompt } from 'ssh2';

/** In English, and in simplified and traditional Chinese. */
const words = /passw|\u5bc6\u7801|\u5bc6\u78bc|\u53e3\u4ee4/i;

/** One hidden answer, for a password by the server's own words. */
export const asksForPassword = ([only, ...others]: readonly Prompt[]): boolean =>
  only !== undefined && others.length === 0 && only.echo !== true && words.test(only.prompt);
