/** For tests: one failure as somebody posted it in a public thread. */

/**
 * What the doctor has to recognise, the thread (`OWNER/REPOSITORY#NUMBER` is https://github.com/OWNER/REPOSITORY/issues/NUMBER),
 * and the lines that the failing program wrote, at most a few. Names, numbers, versions, addresses and paths are changed.
 */
export type Posted = readonly [code: string, thread: string, text: string];
