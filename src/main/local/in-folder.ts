/**
 * A cluster's login node with another folder in place of its home: for a home that is small, or that compute nodes do not
 * have. Everything that is kept in `~/.ringlab` elsewhere is then below that folder.
 */
import { entering, shellQuote, type SshSession } from '../ssh/index.ts';

/**
 * @param folder an absolute path; made where it is missing. Commands fail where it is another user's, who could replace the
 * programs in it.
 */
export function inFolder(session: SshSession, folder: string): SshSession {
  const enter = `HOME=${shellQuote(folder)}; export HOME; mkdir -p "$HOME" && [ -O "$HOME" ] && cd "$HOME" || { echo "$HOME is not a folder of $(id -un)" >&2; exit 1; }\n`;
  const path = (remote: string): string =>
    remote === '~' ? folder : remote.startsWith('~/') ? `${folder}/${remote.slice(2)}` : remote;
  return entering(session, enter, {
    home: () => Promise.resolve(folder),
    upload: (source, remote, options) => session.upload(source, path(remote), options),
    download: (remote, local, options) => session.download(path(remote), local, options),
  });
}
