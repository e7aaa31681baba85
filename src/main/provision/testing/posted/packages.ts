/** For tests: failures of package managers, from public threads: apt and dpkg, pip and uv, conda, git. */
import type { Posted } from './posted.ts';

export const postedByPackageManagers: readonly Posted[] = [
  [
    'apt.locked',
    'CircleCI-Public/server-terraform#279',
    'E: Could not get lock /var/lib/dpkg/lock-frontend. It is held by process 1719 (unattended-upgr)\nE: Unable to acquire the dpkg frontend lock (/var/lib/dpkg/lock-frontend), is another process using it?',
  ],
  [
    'apt.locked',
    'aquasecurity/tracee#3934',
    'E: Could not get lock /var/lib/dpkg/lock-frontend. It is held by process 1551 (apt-get)\nE: Unable to acquire the dpkg frontend lock (/var/lib/dpkg/lock-frontend), is another process using it?',
  ],
  [
    'apt.locked',
    'QuickBox/QB#185',
    'E: Could not get lock /var/lib/dpkg/lock-frontend - open (11: Resource temporarily unavailable)\nE: Unable to acquire the dpkg frontend lock (/var/lib/dpkg/lock-frontend), is another process using it?',
  ],
  [
    'apt.locked',
    'cilium/packer-ci-build#221',
    '    Could not get lock /var/lib/dpkg/lock-frontend - open (11: Resource\n        temporarily unavailable)\n    Unable to acquire the dpkg frontend lock\n        (/var/lib/dpkg/lock-frontend), is another process using it?',
  ],
  ['apt.locked', 'teejee2008/ukuu-plus#26', 'dpkg: error: dpkg frontend lock is locked by another process'],
  [
    'apt.dpkg_failed',
    'concerto/concerto-player#37',
    'dpkg: error processing package concerto-full (--configure):\n installed concerto-full package post-installation script subprocess returned error exit status 23',
  ],
  [
    'apt.dpkg_failed',
    'screetsec/TheFatRat#374',
    'dpkg: error while cleaning up:\n new mariadb-server-10.3 post-removal package script subprocess returned error exit status 1',
  ],
  [
    'apt.dpkg_failed',
    'MFDGaming/ubuntu-in-termux#99',
    'E: Sub-process /usr/bin/dpkg returned an error code (1)',
  ],
  [
    'apt.dpkg_failed',
    'EXALAB/AnLinux-App#293',
    'dpkg: error processing package debconf (--configure):\n installed debconf package post-installation script subprocess returned error exit status 127\nErrors were encountered while processing:\n debconf\nE: Sub-process /usr/bin/dpkg returned an error code (1)',
  ],
  [
    'apt.hash',
    'osquery/osquery#8466',
    'E: Failed to fetch https://pkg.example.org/deb/dists/deb/main/binary-amd64/Packages  File has unexpected size (22693 != 23098). Mirror sync in progress? [IP: 192.0.2.46 443]',
  ],
  [
    'apt.hash',
    'MathWebSearch/mws#92',
    'W: Failed to fetch http://archive.example.org/ubuntu/dists/trusty-updates/main/i18n/Translation-en  Hash Sum mismatch\n\nE: Some index files failed to download. They have been ignored, or old ones used instead.',
  ],
  [
    'apt.unknown_key',
    'shiftkey/desktop#1267',
    "W: GPG error: https://mirror.example.org/deb any InRelease: The following signatures couldn't be verified because the public key is not available: NO_PUBKEY 7FC979028B1997C1",
  ],
  [
    'apt.unknown_key',
    'ryanfortner/box64-debs#16',
    "E: The repository 'https://debs.example.org/debian ./ InRelease' is not signed.",
  ],
  [
    'apt.bad_signature',
    'MasterSoft24/CloudCross#74',
    'W: GPG error: http://download.example.org/xUbuntu_18.04  Release: The following signatures were invalid: AACBD1927CDA42C2D23F32371EB8A0F2D5D28A05',
  ],
  [
    'apt.release_gone',
    'alexanderepstein/Bash-Snippets#167',
    "E: The repository 'http://ppa.example.org/bash-snippets/ubuntu xenial Release' does not have a Release file.\nN: Updating from such a repository can't be done securely, and is therefore disabled by default.",
  ],
  [
    'apt.not_there',
    'dkron-io/dkron#241',
    'E: Failed to fetch https://apt.example.org/dists/xenial/main/binary-amd64/Packages  404  Not Found',
  ],
  [
    'pip.not_found',
    'milksense/venus#8',
    'ERROR: Could not find a version that satisfies the requirement torch (from versions: none)\nERROR: No matching distribution found for torch',
  ],
  [
    'pip.not_found',
    'YassineYousfi/comma10k-baseline#13',
    'ERROR: Could not find a version that satisfies the requirement torch==1.8.1 (from versions: 1.13.0, 1.13.1, 2.0.0, 2.8.0)\nERROR: No matching distribution found for torch==1.8.1',
  ],
  ['pip.not_found', 'pixray/pixray#98', 'ERROR: No matching distribution found for torch==1.9.0+cu102'],
  [
    'pip.conflict',
    'rhasspy/piper#509',
    'ERROR: Cannot install piper-tts==1.1.0 and piper-tts==1.2.0 because these package versions have conflicting dependencies.\n\nThe conflict is caused by:\n    piper-tts 1.2.0 depends on piper-phonemize~=1.1.0',
  ],
  [
    'pip.conflict',
    'python/cpython#130872',
    'ERROR: ResolutionImpossible: for help visit https://pip.pypa.io/en/latest/topics/dependency-resolution/#dealing-with-dependency-conflicts',
  ],
  [
    'network.name',
    'pypa/pip#14250',
    "WARNING: Retrying (Retry(total=4, connect=None, read=None, redirect=None, status=None)) after connection broken by 'NewConnectionError('<pip._vendor.urllib3.connection.HTTPSConnection object at 0x0000016A4D41CD60>: Failed to establish a new connection: [Errno 11001] getaddrinfo failed')': /numpy/",
  ],
  [
    'network.name',
    'astral-sh/uv#8450',
    'error sending request for url (https://pypi.example.org/simple/alembic/)\n  Caused by: client error (Connect)\n  Caused by: dns error: failed to lookup address information: Name does not resolve',
  ],
  [
    'network.name',
    'astral-sh/uv#1971',
    'error: error sending request for url (https://pypi.org/simple/jupyter/): error trying to connect: dns error: failed to lookup address information: Temporary failure in name resolution',
  ],
  [
    'network.name',
    'MattIPv4/PyDMXControl#28',
    'socket.gaierror: [Errno -5] No address associated with hostname',
  ],
  [
    'pip.not_there',
    'astral-sh/uv#14941',
    'error: Request failed after 1 retries\n  Caused by: Failed to fetch: `https://pypi.example.org/simple/click/`\n  Caused by: HTTP status client error (404 Not Found) for url (https://pypi.example.org/simple/click/)',
  ],
  [
    'network.certificate',
    'meteofrance/mfai#160',
    "Could not fetch URL https://pypi.org/simple/pip/: There was a problem confirming the ssl certificate: HTTPSConnectionPool(host='pypi.org', port=443): Max retries exceeded with url: /simple/pip/ (Caused by SSLError(SSLCertVerificationError(1, '[SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed: self-signed certificate in certificate chain (_ssl.c:1017)'))) - skipping",
  ],
  [
    'network.certificate',
    'pypi/warehouse#3395',
    "  Retrying (Retry(total=4, connect=None, read=None, redirect=None, status=None)) after connection broken by 'SSLError(SSLError(1, u'[SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed (_ssl.c:581)'),)': /simple/pip/",
  ],
  [
    'conda.unreachable',
    'conda/conda#8218',
    'CondaHTTPError: HTTP 000 CONNECTION FAILED for url <https://repo.anaconda.com/pkgs/r/noarch/repodata.json.bz2>\nElapsed: -',
  ],
  [
    'python.no_ssl',
    'conda/conda#8558',
    "SSLError(MaxRetryError('HTTPSConnectionPool(host=\\'conda.anaconda.org\\', port=443): Max retries exceeded with url: /conda-forge/win-64/repodata.json (Caused by SSLError(\"Can\\'t connect to HTTPS URL because the SSL module is not available.\"))'))",
  ],
  [
    'conda.unreachable',
    'conda/conda#5956',
    '> CondaHTTPError: HTTP None None for url <https://repo.continuum.io/pkgs/free/osx-64/repodata.json.bz2>',
  ],
  [
    'git.password',
    'desktop/desktop#13385',
    "fatal: could not read Username for 'https://github.com': terminal prompts disabled",
  ],
  [
    'git.password',
    'msysgit/msysgit#153',
    "fatal: could not read Username for 'https://git.example.org': No such file or directory",
  ],
];
