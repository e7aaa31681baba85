/**
 * The Pythons that the pinned uv installs (python-build-standalone), for nodes that cannot fetch one: a bundle carries
 * the archive, and uv installs it on the node as if from a mirror.
 */
interface PythonBuild {
  /** Of CPython: `3.11.18`. */
  readonly version: string;
  /** Its release, which is a folder of each mirror. */
  readonly release: string;
  /** SHA-256 of the archive, by what `uname -m` says. */
  readonly sha256: Readonly<Record<string, string>>;
}

/**
 * Source: `uv python list --only-downloads --all-arches` of uv 0.13.9, and the hash that it says it expected where an
 * archive is another (2026-11-25). uv verifies them again on the node.
 */
const builds: readonly PythonBuild[] = [
  {
    version: '3.8.20',
    release: '20241002',
    sha256: {
      x86_64: 'a3a75094545912d4e9413673441b3f0d2e58ce9b264477f910800148801ccf11',
      aarch64: '75a187ebfab81096e3f3d91d70c1349e64defbdfb0e8a067cb5233d017655e31',
    },
  },
  {
    version: '3.9.25',
    release: '20251031',
    sha256: {
      x86_64: 'fe04e8b27bd69ca2144fc542428f8b9b5287b6a2e45516a4acfe2c2bc3102773',
      aarch64: '2f17406709afd0f07674dd3ce92a4b23c6adf8baac3f402555d192e0f3333bef',
    },
  },
  {
    version: '3.10.22',
    release: '20261009',
    sha256: {
      x86_64: 'caa66b308e10f35b8114054df7d927903f971f631cfa3237b84c40d5d5f35549',
      aarch64: 'ecbe978a7ecbeb3a9aed67bb5d161180701513b4fa8101037b2a3f1ac11e96be',
    },
  },
  {
    version: '3.11.18',
    release: '20261110',
    sha256: {
      x86_64: '3288c54cea3db350052019b3f8b558dd8a3da8afa6fda573f5fd2bcb37635b4a',
      aarch64: '7e71f26a003949b57757e287f4f4b6689da07e7a229f5bbee7919c19ed77155d',
    },
  },
  {
    version: '3.12.16',
    release: '20261110',
    sha256: {
      x86_64: '6a9e62dad033790aef722dbd370e0ce76ce17b73627ba3ae679f537049350b39',
      aarch64: 'b6a41defec4975d94b4ff1950236e7383e5c02ba40ea48c9ec33c66087a35aab',
    },
  },
  {
    version: '3.13.18',
    release: '20261110',
    sha256: {
      x86_64: 'f2d2199eb25880e07863b391cf7124e7ffa1338b0d65600dfcec117c4223a7fb',
      aarch64: '55c00325f7c1fddf325dfc621aabdfbbac4dc54adda224af88ec411dc12db239',
    },
  },
  {
    version: '3.14.10',
    release: '20261110',
    sha256: {
      x86_64: 'c2ff2e97422f5d3896a16e0317fd212ba977bbf2688d93a6f7a03d817506bd30',
      aarch64: '38fd50f07170adc29d481913d1c30b17ecb538fbe290315fe1f83d84fdd5b694',
    },
  },
  {
    version: '3.15.2',
    release: '20261110',
    sha256: {
      x86_64: 'ad23d1b73fac26440b0306ae06911031344c49a90ec19716c8362e7fa40cae43',
      aarch64: 'd1367a6c3cd86a9e35712072841f1376859f3b47a2a54e224421a0f9fd169047',
    },
  },
];

/** Copies of python-build-standalone, from which uv gets Python where GitHub is not reached. */
export const pythonMirrors = [
  'https://mirror.nju.edu.cn/github-release/astral-sh/python-build-standalone',
  'https://registry.npmmirror.com/-/binary/python-build-standalone',
];
/** Where uv gets them, and the copies. */
export const pythonSources: readonly string[] = [
  'https://releases.astral.sh/github/python-build-standalone/releases/download',
  'https://github.com/astral-sh/python-build-standalone/releases/download',
  ...pythonMirrors,
];

export interface PythonArchive {
  /** Below a mirror, as a path: `20261110/cpython-3.11.18+20261110-x86_64-unknown-linux-gnu-install_only_stripped.tar.gz`. */
  readonly path: string;
  readonly sha256: string;
}

/** @param minor `3.11` @param arch what `uname -m` says */
export function pythonArchive(minor: string, arch: string): PythonArchive | undefined {
  const build = builds.find(({ version }) => version.startsWith(`${minor}.`));
  const sha256 = build?.sha256[arch];
  if (build === undefined || sha256 === undefined) return undefined;
  const { version, release } = build;
  const file = `cpython-${version}+${release}-${arch}-unknown-linux-gnu-install_only_stripped.tar.gz`;
  return { path: `${release}/${file}`, sha256 };
}
