/** The documents in the packages of the web host: install.md as README.md, and those that it leads to, with links to what is there. */
import { readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { inProject } from '../../setup/project.mjs';
import { textFile } from './program.mjs';

const first = 'docs/install.md';
/** A link or a picture, its text and its target. */
const link = /!?\[([^\][]*)\]\(([^()\s]+)\)/g;

/** The file of the project that a document's link leads to; undefined for an address, or a place in the document itself. */
const fileOf = (document, target) =>
  /^(?:[a-z][a-z\d+.-]*:|#)/i.test(target)
    ? undefined
    : posix.join(posix.dirname(document), target.replace(/#.*/, ''));

/** @returns {Map<string, string>} install.md and the documents of docs/ that it leads to, by their paths in the project */
export function readDocuments() {
  const documents = new Map();
  const read = (path) => {
    const text = readFileSync(inProject(...path.split('/')), 'utf8');
    documents.set(path, text);
    for (const [, , target] of text.matchAll(link)) {
      const next = fileOf(path, target);
      if (next !== undefined && /^docs\/[^/]+\.md$/.test(next) && !documents.has(next)) read(next);
    }
  };
  read(first);
  return documents;
}

/**
 * @param {Map<string, string>} documents what readDocuments returns
 * @param {readonly import('./tar.mjs').Entry[]} program
 * @param {{ documents: string, program: string }} folders of the package, with a slash at the end, or empty
 * @returns {import('./tar.mjs').Entry[]} a link to what is not in the package is its text alone
 */
export function documentFiles(documents, program, folders) {
  const programs = new Set(program.map(({ path }) => path));
  const placeOf = (path) => {
    if (documents.has(path)) return folders.documents + (path === first ? 'README.md' : path);
    return programs.has(path) ? folders.program + path : undefined;
  };
  return [...documents].map(([path, text]) => {
    const place = placeOf(path);
    const linked = text.replaceAll(link, (whole, words, target) => {
      const file = fileOf(path, target);
      if (file === undefined) return whole;
      const there = placeOf(file);
      if (there === undefined) return words;
      return `[${words}](${posix.relative(posix.dirname(place), there)}${/#.*/.exec(target)?.[0] ?? ''})`;
    });
    return textFile(place, linked);
  });
}
