/** Where on a node a file of a run really is: a link may lead anywhere. */
import { shellQuote } from '../../ssh/index.ts';

/** Exit codes of the script below. */
const notThere = 3;
export const outside = 4;

/**
 * Prints the real path of a file, and has it as `$real`. Ends with `outside` where a link leads out of the folder `top`, or where the
 * path has a line break: half of it would be another path.
 * @param path below `folder`
 */
export const realPathScript = (folder: string, path: string, top: string): string => `
cd ${shellQuote(folder)} 2>/dev/null && [ -f ${shellQuote(`./${path}`)} ] || exit ${notThere}
real=$(readlink -f -- ${shellQuote(`./${path}`)}) && top=$(readlink -f -- ${shellQuote(top)}) || exit ${notThere}
case "$real" in *"
"*) exit ${outside} ;; "$top"/*) ;; *) exit ${outside} ;; esac
printf '%s\\n' "$real"`;
