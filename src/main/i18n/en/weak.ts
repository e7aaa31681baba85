/** Why an algorithm of an SSH server is weak. */
export const weak = {
  serverHostKey: 'signs with SHA-1, which can be forged: another machine may pose as this one',
  kex: 'exchanges keys with SHA-1 or a short prime: who records the connection may read it later',
  cipher:
    'encrypts in CBC mode: parts of what is sent can be recovered, and 3DES is broken for long connections',
  hmac: 'protects against changes on the way with SHA-1 only',
  userSignature: 'the server accepts RSA keys of users with SHA-1 alone, whose signatures can be forged',
} as const;
