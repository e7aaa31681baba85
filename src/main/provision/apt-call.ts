/** How apt is called on a node: it never asks, and it does not wait for minutes on a mirror that a firewall hides. */

/** Of silence, for a connection and for what comes through it; apt's own patience is two minutes an address and try. */
const silenceSeconds = 20;

/** Options of apt-get. */
export const aptTimeouts = ['http', 'https']
  .map((method) => `-o Acquire::${method}::Timeout=${silenceSeconds}`)
  .concat('-o Acquire::Retries=1')
  .join(' ');
