/** Addresses in messages, names and reports, which users pass on. Pure. */

const secretName = /auth|credential|key|passw|secret|sig|token/i;
/** A signature or a token, whatever its name. */
const longest = 31;

/** Without a login's password, and without tokens and signatures: `https://host/data.tar?X-Amz-Signature=…`. */
export function shownAddress(address: string): string {
  return address
    .replace(/^((?:https?|ftp):\/\/)[^/?#]*@/i, '$1')
    .replace(/^([a-z][a-z\d+.-]*:\/\/[^/?#:@]*):[^/?#]*@/i, '$1@')
    .replace(/([?&])([^=&#]*)=([^&#]+)/g, (whole, before: string, name: string, value: string) =>
      secretName.test(name) || value.length > longest ? `${before}${name}=…` : whole,
    );
}
