/** The environment in which the user's own `git` runs: it asks nothing, and works in no other repository than the one it is given. */

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
  GIT_SSH_COMMAND: `${process.env.GIT_SSH_COMMAND ?? 'ssh'} -o BatchMode=yes`,
  GIT_ALLOW_PROTOCOL: 'https:http:ssh:git',
});
