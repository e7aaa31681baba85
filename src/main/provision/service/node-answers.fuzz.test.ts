/** Fuzzed answers of a node before training: parsed within limits, or refused as a RinglabError. */
import { expect, it } from 'vitest';
import { RinglabError, toWireError } from '../../../shared/base/errors.ts';
import { NodeFacts } from '../../../shared/node/provision.ts';
import { forEachCase, fuzzTimeout, mutateText } from '../../../shared/testing/fuzz.ts';
import { parseClosure } from '../download/apt-part.ts';
import { parseRelease, parseStanza } from '../bundle/signed-release.ts';
import { diagnose } from '../diagnoses/diagnoses.ts';
import { describeFacts, parseFacts } from '../node/facts.ts';
import { parseListening } from '../network/ports.ts';
import { parseFound } from '../node/find-torch.ts';
import { allPosted } from '../testing/posted/all-posted.ts';
import { realTexts } from '../testing/real-texts.ts';

const failures = [...realTexts.map(([, text]) => text), ...allPosted.map(([, , text]) => text)];

const facts = `time=1700000000.5
os=Linux
kernel=6.1.0
arch=x86_64
hostname=gpu1
user=anna
uid=1000
home=/home/anna
shell=/bin/bash
id=debian
like=
version=12
pretty=Debian GNU/Linux 12
boot_id=0000-1111
cpus=8
cpu_model=Some CPU
memory_kib=65000000
memory_free_kib=60000000
disk_kib=900000000
disk_free_kib=500000000
gpu=0, NVIDIA GeForce RTX 3080, 10240, 00000000:01:00.0, 535.183.01
cuda=12.2
nvidia=yes
nvidia_works=yes
nvidia_source=nvidia/535
dkms=nvidia/535, installed
nvidia_package=nvidia-driver 535
gpu_process=2711 anna 8120
virtualisation=kvm
cgroup_cpu=150000 100000
cgroup_memory=max
cpu_flag=avx2
libtorch_package=libtorch1.13 1.13.1+dfsg-4
libtorch_folder=2.1.0+cu121 cxx11 /opt/lib torch
libtorch_file=/usr/lib/libtorch.so.1.13
compiler=12.2.0
cmake=3.25.1
ninja=yes
glibc=glibc 2.36
sudo=password
address=eth0 10.0.0.2/24
package_manager=apt-get
finished=1700000001
end=yes
`;
const words = [
  '=',
  '0, ',
  'NaN',
  '1e309',
  '-1',
  'max',
  '9'.repeat(400),
  '\u001b]0;x\u0007',
  '\u202e',
  'end=yes\n',
];

it('facts', { timeout: fuzzTimeout() }, () =>
  forEachCase('parseFacts', (random) => {
    const text = mutateText(facts, random, words);
    try {
      const report = parseFacts(text, { before: 1000, after: 1001 });
      // What is shown must be valid for a window.
      const shown = NodeFacts.safeParse(JSON.parse(JSON.stringify(report.facts)));
      expect(shown.error?.issues[0]).toBeUndefined();
      expect(JSON.stringify(report.facts).length).toBeLessThan(2_000_000);
      expect(JSON.stringify(Object.values(report.facts))).not.toMatch(/\\u00(0|1b|7f)/);
      expect(describeFacts(report.facts).en).not.toBe('');
    } catch (error) {
      if (!(error instanceof RinglabError)) throw error;
      expect(JSON.stringify(toWireError(error)).length).toBeLessThan(100_000);
    }
  }),
);

it('facts of a megabyte each are truncated or refused', () => {
  for (const line of facts.trim().split('\n')) {
    const [key = ''] = line.split('=');
    const text = facts.replace(line, `${key}=${'A'.repeat(1_000_000)}`);
    try {
      expect(JSON.stringify(parseFacts(text, { before: 1, after: 2 })).length).toBeLessThan(100_000);
    } catch (error) {
      expect(error).toBeInstanceOf(RinglabError);
    }
  }
});

it('tool output, as parsed by the doctor', { timeout: fuzzTimeout() }, () =>
  forEachCase('diagnose', (random) => {
    const found = diagnose(
      mutateText(random.pick(failures), random, [random.pick(failures), ' '.repeat(3000), 'a'.repeat(3000)]),
    );
    for (const one of found) expect(one.line.length).toBeLessThanOrEqual(500);
  }),
);

const closure = `list http://deb.example.org/debian/ bookworm main/binary-amd64/Packages
list http://deb.example.org/debian-security/ bookworm-security main/binary-amd64/Packages
package cmake 3.25.1-1
package g++ 4:12.2.0-3
package libtorch1.13 1.13.1+dfsg-4
`;
const release = `Origin: Debian
Suite: oldstable
Codename: bookworm
Date: Sat, 11 Jul 2026 10:16:37 UTC
Valid-Until: Sat, 18 Jul 2026 10:16:37 UTC
SHA256:
 ${'a'.repeat(64)} 50060337 main/binary-amd64/Packages
 ${'b'.repeat(64)}  8790396 main/binary-amd64/Packages.xz
`;
const stanza = `Package: g++
Version: 4:12.2.0-3
Architecture: amd64
Filename: pool/main/g/gcc-defaults/g++_12.2.0-3_amd64.deb
Size: 1356
SHA256: ${'c'.repeat(64)}
Description: GNU C++ compiler
`;
const printable = /^[\x21-\x7e]+$/;

it('lists of apt, ports and Python environments', { timeout: fuzzTimeout() }, () =>
  forEachCase('lists', (random) => {
    const said = parseClosure(
      mutateText(closure, random, ['%', '..', 'list ', 'package ', ' -o=x', '\u001b[2J']),
    );
    for (const { uri, suite, path } of said?.lists ?? []) {
      expect(`${uri}${suite}${path}`).toMatch(printable);
      expect(`${suite}/${path}`).not.toContain('..');
    }
    for (const { name, version } of said?.packages ?? []) {
      expect(`${name}${version}`).toMatch(printable);
      expect(name).not.toMatch(/^-/);
    }
    const signed = parseRelease(mutateText(release, random, ['SHA256:', '\n ', '9'.repeat(40), 'Date: ']));
    for (const { sha256, size } of signed?.files.values() ?? []) {
      expect(sha256).toMatch(/^[0-9a-f]{64}$/);
      expect(Number.isSafeInteger(size)).toBe(true);
    }
    const one = parseStanza(mutateText(stanza, random, ['../', 'Filename: ', 'Size: -1\n', '\u0000']));
    if (one !== undefined) {
      expect(`${one.name}${one.version}${one.filename}`).toMatch(printable);
      expect(one.filename).not.toMatch(/(^|\/)\.\.(\/|$)/);
    }
    const table =
      '  sl  local_address rem_address   st\n   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000\n';
    for (const port of parseListening(mutateText(table, random, ['0A', ':', 'FFFFFFFFF'])))
      expect(Number.isInteger(port)).toBe(true);
    parseFound(
      mutateText('/opt/venv\t2.1.0+cu121\tcxx11\n/usr\t1.13.1\tpre-cxx11\n', random, ['\t', '|', ' ']),
    );
  }),
);
