/** Texts of main's prompts during a connection. */
export const prompts = {
  hostKey: {
    title: 'Trust this machine?',
    text: 'Ringlab connects to {{node}} ({{host}}) for the first time. Compare its key’s fingerprint with the one its administrator gave you. Nothing was sent yet.',
    type: 'Key type',
    fingerprint: 'Fingerprint',
    knownOther:
      'Ringlab knows another key for this host or its address, which the host does not show now. Trust the new key only if its administrator confirms it:',
    skippedLines: 'Lines of known_hosts that cannot be read were skipped:',
    trust: 'Trust',
    refuse: 'Refuse',
  },
  password: {
    title: 'Password for {{node}}',
    text: 'Log in to {{host}} as {{user}}.',
    label: 'Password',
  },
  passphrase: {
    title: 'Passphrase for {{node}}',
    text: 'The key {{file}} is encrypted.',
    label: 'Passphrase',
  },
  again: 'That was not correct. Try again.',
  bucketKey: {
    title: 'Secret key for the bucket {{bucket}}',
    text: 'The access key {{id}} at {{host}}. Its secret stays on this computer: nodes get addresses that are signed for one file and expire.',
    label: 'Secret access key',
  },
  scriptVariable: {
    title: 'Value of {{name}}',
    text: 'The script of “{{lab}}” gets it as an environment variable. It is not written into the lab, a log or a command that is shown.',
    label: 'Secret value',
  },
  sudo: {
    title: 'Password of {{user}} for sudo on {{node}}',
    text: 'A step needs root on {{host}}, and sudo asks for this account’s password.',
    label: 'sudo password',
  },
  consent: {
    title: 'May Ringlab change {{node}}?',
    text: '{{node}} ({{host}}) needs this to train. Nothing has been changed yet.',
    command: 'Command',
    file: 'Sent from this computer',
    remembered: 'Ringlab remembers your answer for this machine, and lists each change in the step’s log.',
    allow: 'Allow',
    refuse: 'Do not change it',
  },
  remove: {
    title: 'Remove Ringlab from {{node}}?',
    text: 'This deletes what Ringlab has put on {{node}} ({{host}}), with the checkpoints of its runs there. What you exported stays, and the node can be prepared again.',
    confirm: 'Remove',
  },
  reboot: {
    title: 'Reboot {{node}}?',
    text: 'Everything that runs on {{node}} ({{host}}) ends, other users’ programs too. Ringlab waits until it is back.',
    confirm: 'Reboot',
  },
  weak: {
    title: 'Allow weak encryption for {{node}}?',
    text: '{{host}} offers nothing better than this. Updating its SSH server is the safe way.',
    remembered:
      'Ringlab remembers this for {{host}} on this computer, and never in a lab. Settings forget it again.',
    allow: 'Allow for this host',
    refuse: 'Do not connect',
  },
  lend: {
    title: 'Lend {{node}} this computer’s internet connection?',
    text: '{{node}} ({{host}}) has no internet connection of its own, says the lab. While it is prepared, its downloads would go through this computer, and count as yours.',
    limits:
      'It reaches the internet only: neither this computer nor other devices of your network. Allow it for machines that you trust.',
    remembered: 'Ringlab remembers this for the machine, on this computer and not in the lab.',
    allow: 'Lend it',
    refuse: 'Do not lend it',
  },
  interactive: {
    title: '{{node}} asks',
    text: '{{host}} asks for more to log in:',
    label: 'Answer',
  },
  remember: 'Remember on this computer',
  rememberMemory: 'Remember until Ringlab is closed',
  ok: 'Continue',
  cancel: 'Cancel',
  more_one: '{{count}} more question waits.',
  more_other: '{{count}} more questions wait.',
} as const;
