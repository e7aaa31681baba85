/** What a script finds, whatever the account's start-up files and variables are. Pure. */

/** Variables that change what programs do which scripts call: tar packs less, df counts other blocks. */
const toolOptions =
  'GREP_OPTIONS TAR_OPTIONS GZIP XZ_OPT XZ_DEFAULTS POSIXLY_CORRECT BLOCK_SIZE BLOCKSIZE DF_BLOCK_SIZE DU_BLOCK_SIZE ' +
  'LS_BLOCK_SIZE QUOTING_STYLE TIME_STYLE PS_FORMAT PS_PERSONALITY COLUMNS PERL5OPT';

/**
 * Resets what an account's environment must not change in our scripts. Where sh is bash, functions and options are
 * inherited (`cd() {…}`, `set -u`); tools are localised; PATH may be wrong. The character set is kept. New files are
 * never world-writable.
 */
export const plainEnvironment =
  `set +aCefuvx;unset IFS;unalias -a;` +
  `case \${BASH_VERSION-} in ?*)for D in $(compgen -A function);do unset -f "$D";done;;esac;` +
  `LC_CTYPE=\${LC_ALL:-\${LC_CTYPE:-\${LANG-}}};LC_MESSAGES=C;LC_NUMERIC=C;LC_COLLATE=C;LC_TIME=C;` +
  `export LC_CTYPE LC_MESSAGES LC_NUMERIC LC_COLLATE LC_TIME;unset LC_ALL LANGUAGE BASH_ENV ENV CDPATH TMOUT ${toolOptions};` +
  `command -v mkdir >/dev/null&&command -v cat >/dev/null||` +
  `PATH=\${PATH:+$PATH:}/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin:/run/current-system/sw/bin;export PATH;` +
  `umask g-w,o-w;`;
