/** The environment in which the user's own `git` runs: it asks nothing, starts SSH as the user has set it up, and works in no repository but its own. */

/**
 * What `git rev-parse --local-env-vars` lists, and the name space: in a hook, `git rebase --exec` or an alias they name the
 * user's own repository, and go before the folder that git is given. Settings that are given beside (`GIT_CONFIG_COUNT`,
 * `GIT_CONFIG_PARAMETERS`) stay, as for submodules.
 */
const ofOneRepository: ReadonlySet<string> = new Set([
  'GIT_ALTERNATE_OBJECT_DIRECTORIES',
  'GIT_COMMON_DIR',
  'GIT_CONFIG',
  'GIT_DIR',
  'GIT_GRAFT_FILE',
  'GIT_IMPLICIT_WORK_TREE',
  'GIT_INDEX_FILE',
  'GIT_INTERNAL_SUPER_PREFIX',
  'GIT_NAMESPACE',
  'GIT_NO_REPLACE_OBJECTS',
  'GIT_OBJECT_DIRECTORY',
  'GIT_PREFIX',
  'GIT_REPLACE_REF_BASE',
  'GIT_SHALLOW_FILE',
  'GIT_WORK_TREE',
]);

/** Whether a command is one of PuTTY's programs, which do not know OpenSSH's options. */
const isPutty = (command: string): boolean =>
  /^(?:"[^"]*[\\/]|'[^']*[\\/]|\S*[\\/]|["'])?(?:tortoise)?(?:plink|putty)(?:\.exe)?(?:["'\s]|$)/i.test(
    command,
  );

/**
 * How SSH is started, without questions: as the user has set it up, in git's order. A program in `GIT_SSH` takes no
 * options of ours.
 * @param configured `core.sshCommand`
 */
export function sshEnvironment(configured: string): NodeJS.ProcessEnv {
  const command = process.env.GIT_SSH_COMMAND || configured;
  if (command === '' && process.env.GIT_SSH) return { GIT_SSH_COMMAND: undefined };
  if (isPutty(command)) return { GIT_SSH_COMMAND: command };
  return { GIT_SSH_COMMAND: `${command || 'ssh'} -o BatchMode=yes` };
}

export const gitEnvironment = (): NodeJS.ProcessEnv => ({
  // Windows does not distinguish the case of their names.
  ...Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !ofOneRepository.has(name.toUpperCase())),
  ),
  LC_ALL: 'C',
  GIT_TERMINAL_PROMPT: '0',
  GIT_ASKPASS: 'true',
  SSH_ASKPASS: 'true',
  SSH_ASKPASS_REQUIRE: 'never',
  GCM_INTERACTIVE: 'never',
  ...sshEnvironment(''),
  GIT_ALLOW_PROTOCOL: 'https:http:ssh:git',
});
