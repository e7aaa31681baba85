/** Selects a node's shard of an ImageFolder, where each node holds only a part of the training images. */
import { RinglabError } from '../../../shared/base/errors.ts';
import { trainingNodes, type LabDocument } from '../../../shared/lab/lab.ts';
import { processesOn } from '../../../shared/lab/lab-check.ts';

/** The same checks as for a node's folder, before anything is sent. */
export function checkClasses(root: string, paths: readonly string[]): void {
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
 * the trainer needs all classes everywhere. Files outside `train/` go to every node.
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
    else {
      const known = classes.get(name);
      if (known === undefined) classes.set(name, [file]);
      else known.push(file);
    }
  }
  let next = 0;
  for (const images of classes.values()) {
    let dealt = 0;
    for (const image of images) {
      if (places[next % places.length] === nodeId) {
        selected.add(image);
        dealt += 1;
      }
      next += 1;
    }
    const substitute = images[nodes.findIndex(({ id }) => id === nodeId) % images.length];
    if (dealt === 0 && substitute !== undefined) selected.add(substitute);
  }
  return files.filter((file) => selected.has(file));
}
