import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { inProject } from '../setup/project.mjs';
import { crowdedFolders, folderProblems, maxFiles, orderFile, orderOf, wrongIncludes } from './folders.mjs';

const order = ['base', 'comm/store', 'train'];
const files = (entries) =>
  new Map(Object.entries({ 'base/error.h': '', 'comm/store/key.h': '', 'train/trainer.h': '', ...entries }));

describe('native folders', () => {
  it('may include their own files and those of folders below', () => {
    const text =
      '#include "base/error.h"\n#include "comm/store/key.h"\n#include <vector>\n#include "source_hash.h"\n';
    expect(wrongIncludes(files({ 'train/save.cpp': text, 'comm/store/server.cpp': text }), order)).toEqual(
      [],
    );
  });

  it('must not import higher folders; the message says where the code belongs', () => {
    expect(wrongIncludes(files({ 'base/json.cpp': '#include "comm/store/key.h"\n' }), order)).toEqual([
      'native/base/json.cpp includes "comm/store/key.h", and comm/store/ stands on base/: move what both need into base/ or a folder below it, or this file into comm/store/',
    ]);
  });

  it('must not have a cycle of three headers, reported once', () => {
    const problems = wrongIncludes(
      files({
        'base/a.h': '  #  include "base/b.h"\n',
        'base/b.h': '#include "base/c.h"\n',
        'base/c.h': '#include "base/a.h"\n',
        'train/save.cpp': '#include "base/b.h"\n',
      }),
      order,
    );
    expect(problems).toEqual([
      'these include each other: native/base/a.h → native/base/b.h → native/base/c.h → native/base/a.h; move what both need into a header of its own',
    ]);
  });

  it('are all in the table, and includes have one form', () => {
    expect(
      wrongIncludes(
        files({
          'misc/tool.h': '',
          'train/save.cpp': '#include "trainer.h"\n#include <base/error.h>\n',
        }),
        [...order, 'monitor'],
      ),
    ).toEqual([
      `native/misc/ is not in the order of folders: add a row to the table in ${orderFile}, below all folders that it includes`,
      `${orderFile} names native/monitor/, which holds no source file: remove its row`,
      `native/train/save.cpp includes "trainer.h", which is no file of native/: write its path from native/ on, and other libraries' headers in <>`,
      'native/train/save.cpp includes <base/error.h>: write our own headers in quotes',
    ]);
  });

  it('contain at most thirty files, without subfolders', () => {
    const thirty = Array.from({ length: maxFiles }, (_, index) => `native/base/${String(index)}.h`);
    expect(crowdedFolders([...thirty, 'native/base/more/one.h'])).toEqual([]);
    expect(crowdedFolders([...thirty, 'native/base/one.h'])).toEqual([
      'native/base/ holds 31 source files, and the maximum is 30: divide it into folders by subject',
    ]);
  });

  it('follow these rules in this repository', () => {
    expect(orderOf(readFileSync(inProject(orderFile), 'utf8'))).toContain('comm/collectives');
    expect(folderProblems(inProject())).toEqual([]);
  });
});
