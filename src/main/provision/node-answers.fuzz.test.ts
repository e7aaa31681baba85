/** What a node answers before it trains, broken in every way: read within limits, or refused as a RinglabError. */
import { expect, it } from 'vitest';
import { RinglabError, toWireError } from '../../shared/errors.ts';
import { NodeFacts } from '../../shared/provision.ts';
import { forEachCase, fuzzTimeout, mutateText } from '../../shared/testing/fuzz.ts';
import { parseClosure } from './bundle/apt-part.ts';
import { diagnose } from './diagnoses.ts';
import { describeFacts, parseFacts } from './facts.ts';
import { parseListening } from './ports.ts';
import { parseFound } from './runtime/find-torch.ts';
import { realTexts } from './testing/real-texts.ts';

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
nvidia_source=535
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
      // What is shown is what a window can read.
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

it('facts of a megabyte each are cut or refused', () => {
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

it('what tools print, as the doctor reads it', { timeout: fuzzTimeout() }, () =>
  forEachCase('diagnose', (random) => {
    const [, text] = random.pick(realTexts);
    const found = diagnose(
      mutateText(text, random, [random.pick(realTexts)[1], ' '.repeat(3000), 'a'.repeat(3000)]),
    );
    for (const one of found) expect(one.line.length).toBeLessThanOrEqual(500);
  }),
);

const closure = `uri http://deb.debian.org/debian/pool/main/c/cmake/cmake_3.25.1-1_amd64.deb
uri http://deb.debian.org/debian/pool/main/g/gcc/g%2b%2b_12_amd64.deb
= Package: cmake
= Filename: pool/main/c/cmake/cmake_3.25.1-1_amd64.deb
= Size: 8692
= SHA256: ${'a'.repeat(64)}
=
= Package: g++
= Filename: pool/main/g/gcc/g++_12_amd64.deb
= Size: 1000
= SHA256: ${'b'.repeat(64)}
=
`;

it('lists of apt, ports and Python environments', { timeout: fuzzTimeout() }, () =>
  forEachCase('lists', (random) => {
    const { found, expected } = parseClosure(
      mutateText(closure, random, ['%', '%zz', 'uri ', '= ', 'Filename: ']),
    );
    expect(found.length).toBeLessThanOrEqual(expected + 4);
    const table =
      '  sl  local_address rem_address   st\n   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000\n';
    for (const port of parseListening(mutateText(table, random, ['0A', ':', 'FFFFFFFFF'])))
      expect(Number.isInteger(port)).toBe(true);
    parseFound(
      mutateText('/opt/venv\t2.1.0+cu121\tcxx11\n/usr\t1.13.1\tpre-cxx11\n', random, ['\t', '|', ' ']),
    );
  }),
);
