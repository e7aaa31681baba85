/** Selects a node's shard of an ImageFolder, where each node holds only a part of the training images. */
import { RinglabError } from '../../../shared/base/errors.ts';
import { trainingNodes, type LabDocument } from '../../../shared/lab/lab.ts';
import { processesOn } from '../../../shared/lab/lab-check.ts';

/** The names of the files that the trainer reads in class folders. */
export const images = /\.(jpe?g|png|ppm|bmp|pgm|tiff?|webp)$/i;

/** How many class folders an error names. */
const namedFolders = 10;

/** `train/cat` of `train/cat/…/1.jpg`. */
function classFolderOf(path: string): string | undefined {
  const [top, name, ...rest] = path.split('/');
  const inPart = (top === 'train' || top === 'val') && name !== undefined && rest.length > 0;
  return inPart ? `${top}/${name}` : undefined;
}

/** A class whose folder does not reach the nodes would be missing there without a word. Hidden folders are other programs'. */
function checkImages(root: string, paths: readonly string[], folders: readonly string[]): void {
  const foldersOf = (of: readonly string[]): string[] =>
    of.flatMap((path) => {
      const folder = classFolderOf(path);
      return folder === undefined ? [] : [folder];
    });
  const full = new Set(foldersOf(paths.filter((path) => images.test(path))));
  const empty = [...new Set([...folders, ...foldersOf(paths)])].filter(
    (folder) => !full.has(folder) && !folder.includes('/.'),
  );
  if (empty.length === 0) return;
  const more = empty.length > namedFolders ? ', …' : '';
  const names = `${empty.slice(0, namedFolders).join(', ')}${more}`;
  throw new RinglabError('data_class_empty', { path: root, names }, { where: root });
}

/**
 * The same checks as for a node's folder, before anything is sent.
 * @param folders class folders that may hold none of the files
 */
export function checkClasses(root: string, paths: readonly string[], folders: readonly string[] = []): void {
  checkImages(root, paths, folders);
  const classes = (part: string): number =>
    new Set(
      paths.flatMap((path) => {
        const [top, name, ...rest] = path.split('/');
        return top === part && name !== undefined && rest.length > 0 ? [name] : [];
      }),
    ).size;
  const [train, validation] = [classes('train'), classes('val')];
  if (train === 0) throw new RinglabError('data_no_classes', { path: `${root}/train` }, { where: root });
  if (validation === 0) throw new RinglabError('data_no_classes', { path: `${root}/val` }, { where: root });
  if (train !== validation) {
    throw new RinglabError('data_classes_differ', { path: root, train, validation }, { where: root });
  }
}

/**
 * Deals out the images class by class, one share for each rank of a node, so that every shard has every class and
 * shards differ by at most one image for each rank. A class with fewer images than nodes repeats some, because
 * the trainer needs all classes everywhere. Files that are in no class of `train/` go to every node; those in a class that
 * are no images (`.DS_Store`) to none: dealt out, one could be a node's only file of that class.
 * @param files in the same order for all nodes
 */
export function filesOfNode<F extends { readonly path: string }>(
  lab: LabDocument,
  nodeId: string,
  files: readonly F[],
): F[] {
  const nodes = trainingNodes(lab);
  const places = nodes.flatMap((node) => Array.from({ length: processesOn(lab, node) }, () => node.id));
  const classes = new Map<string, F[]>();
  const selected = new Set<F>();
  for (const file of files) {
    const [top, name, ...rest] = file.path.split('/');
    if (top !== 'train' || name === undefined || rest.length === 0) selected.add(file);
    else if (images.test(file.path)) {
      const known = classes.get(name);
      if (known === undefined) classes.set(name, [file]);
      else known.push(file);
    }
  }
  let next = 0;
  for (const ofClass of classes.values()) {
    let dealt = 0;
    for (const image of ofClass) {
      if (places[next % places.length] === nodeId) {
        selected.add(image);
        dealt += 1;
      }
      next += 1;
    }
    const substitute = ofClass[nodes.findIndex(({ id }) => id === nodeId) % ofClass.length];
    if (dealt === 0 && substitute !== undefined) selected.add(substitute);
  }
  return files.filter((file) => selected.has(file));
}
