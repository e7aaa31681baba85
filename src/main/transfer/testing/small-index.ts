/** For tests: a package index (PEP 503) of a few wheels that are made here, served on the loopback. */
import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { zip } from '../../base/testing/zip-file.ts';

export interface SmallWheel {
  readonly name: string;
  readonly version: string;
  readonly requires?: readonly string[];
  /** Path in site-packages → content. */
  readonly files: Readonly<Record<string, string>>;
}

/** A stand-in with the files of PyTorch's wheel that the libraries step looks at. */
export const standInTorch = (
  version: string,
  { cuda, init = '', requires = [] }: { cuda?: string; init?: string; requires?: readonly string[] } = {},
): SmallWheel => {
  const level = cuda === undefined ? 'None' : `'${cuda}'`;
  return {
    name: 'torch',
    version,
    requires,
    files: {
      'torch/__init__.py': `from .version import __version__\nfrom . import version\n${init}\n`,
      'torch/version.py': `__version__ = '${version}'\ncuda = ${level}\n`,
      'torch/lib/libtorch.so': '',
      'torch/lib/libc10.so': '',
      'torch/include/torch/csrc/api/include/torch/torch.h': '',
      'torch/share/cmake/Torch/TorchConfig.cmake': 'set(TORCH_CXX_FLAGS "-D_GLIBCXX_USE_CXX11_ABI=1")\n',
    },
  };
};

export const plainWheel = (name: string, version: string, requires: readonly string[] = []): SmallWheel => ({
  name,
  version,
  requires,
  files: { [`${name}.py`]: `version = '${version}'\n` },
});

export interface SmallIndex {
  /** `http://127.0.0.1:PORT/simple`, or another folder. */
  readonly index: string;
  /** The files that were asked for, in order. */
  readonly asked: string[];
  /** Answers no more requests for files while it is true: their connections stay open. */
  isStuck: boolean;
  /** Changes a file's bytes on their way, and not the hash on its page. */
  spoil: (bytes: Buffer) => Buffer;
  close(): Promise<void>;
}

/** @param folder in its address: `whl/cu126` is one of PyTorch's builds */
export async function startIndex(wheels: readonly SmallWheel[], folder = 'simple'): Promise<SmallIndex> {
  const files = new Map<string, Buffer>();
  const pages = new Map<string, string>();
  for (const wheel of wheels) {
    const file = `${wheel.name}-${wheel.version}-py3-none-any.whl`;
    const bytes = wheelBytes(wheel);
    files.set(`/packages/${file}`, bytes);
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    const link = `<a href="/packages/${encodeURIComponent(file)}#sha256=${sha256}">${file}</a><br/>\n`;
    const page = `/${folder}/${wheel.name}/`;
    pages.set(page, (pages.get(page) ?? '') + link);
  }
  const state = {
    asked: [] as string[],
    isStuck: false,
    spoil: (bytes: Buffer): Buffer => bytes,
  };
  const server = createServer((request, response) => {
    const path = decodeURIComponent(request.url ?? '/');
    const page = pages.get(path);
    const bytes = files.get(path);
    if (bytes !== undefined) {
      state.asked.push(path.slice('/packages/'.length));
      // As PyPI says it: a file never changes.
      response.setHeader('cache-control', 'max-age=365000000, immutable, public');
      const sent = state.spoil(bytes);
      if (!state.isStuck) response.setHeader('content-length', sent.length).end(sent);
    } else if (page === undefined) response.writeHead(404).end();
    else
      response.setHeader('content-type', 'text/html').end(`<!DOCTYPE html><html><body>${page}</body></html>`);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // Listening on TCP, it has an address with a port.
  const { port } = server.address() as AddressInfo;
  return Object.assign(state, {
    index: `http://127.0.0.1:${port}/${folder}`,
    close: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  });
}

function wheelBytes({ name, version, requires = [], files }: SmallWheel): Buffer {
  const info = `${name}-${version}.dist-info`;
  const metadata = [
    'Metadata-Version: 2.1',
    `Name: ${name}`,
    `Version: ${version}`,
    ...requires.map((one) => `Requires-Dist: ${one}`),
    '',
  ].join('\n');
  const all: Record<string, string> = {
    ...files,
    [`${info}/METADATA`]: metadata,
    [`${info}/WHEEL`]: 'Wheel-Version: 1.0\nGenerator: ringlab\nRoot-Is-Purelib: true\nTag: py3-none-any\n',
  };
  const record = Object.entries(all).map(
    ([path, text]) => `${path},${hashLine(text)},${Buffer.byteLength(text)}`,
  );
  const whole = { ...all, [`${info}/RECORD`]: [...record, `${info}/RECORD,,`, ''].join('\n') };
  return zip(Object.entries(whole).map(([path, text]) => ({ name: path, bytes: Buffer.from(text) })));
}

const hashLine = (text: string): string => `sha256=${createHash('sha256').update(text).digest('base64url')}`;
