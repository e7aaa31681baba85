/** Data sets that are a few files instead of a folder a class; recognised as the trainer does (native/data/sources/open_data.cpp). */

export interface FileSet {
  readonly name: string;
  readonly classes: number;
  /** Where its files may lie below the data folder. */
  readonly folders: readonly string[];
  /** One of these names says that the set is there. */
  readonly mark: RegExp;
  /** All that the trainer reads. */
  readonly files: RegExp;
}

const fileSets: readonly FileSet[] = [
  {
    name: 'MNIST',
    classes: 10,
    folders: ['.', 'raw', 'MNIST/raw', 'FashionMNIST/raw', 'KMNIST/raw'],
    mark: /^(train|t10k)-images[-.]idx3-ubyte(\.gz)?$/,
    files: /^(train|t10k)-(images[-.]idx3|labels[-.]idx1)-ubyte(\.gz)?$/,
  },
  {
    name: 'CIFAR-10',
    classes: 10,
    folders: ['.', 'cifar-10-batches-bin'],
    mark: /^(data_batch_1|test_batch)\.bin$/,
    files: /^(data_batch_[1-5]\.bin|test_batch\.bin|batches\.meta\.txt)$/,
  },
  {
    name: 'CIFAR-100',
    classes: 100,
    folders: ['.', 'cifar-100-binary'],
    mark: /^(train|test)\.bin$/,
    files: /^(train|test)\.bin$|^fine_label_names\.txt$/,
  },
];

/** Every folder that a set of files may lie in. */
export const fileSetFolders: readonly string[] = [...new Set(fileSets.flatMap(({ folders }) => folders))];

/**
 * The set that a folder holds, and which of its files.
 * @param paths of files below the data folder, such as `./train.bin` or `MNIST/raw/t10k-images-idx3-ubyte.gz`
 */
export function fileSetOf(
  paths: readonly string[],
): { readonly set: FileSet; readonly files: readonly string[] } | undefined {
  const split = paths.map((path) => {
    const slash = path.lastIndexOf('/');
    return { path, folder: slash < 0 ? '.' : path.slice(0, slash), name: path.slice(slash + 1) };
  });
  for (const set of fileSets) {
    for (const place of set.folders) {
      const there = split.filter(({ folder }) => folder === place);
      if (there.some(({ name }) => set.mark.test(name))) {
        return { set, files: there.filter(({ name }) => set.files.test(name)).map(({ path }) => path) };
      }
    }
  }
  return undefined;
}
