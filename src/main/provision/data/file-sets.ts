/**
 * Data sets stored as a few files instead of class folders (MNIST, CIFAR); detected as the trainer does
 * (native/data/sources/open_data.cpp).
 */

export interface FileSet {
  readonly name: string;
  readonly classes: number;
  /** Where its files may be below the data folder. */
  readonly folders: readonly string[];
  /** A file with such a name identifies the data set. */
  readonly mark: RegExp;
  /** All files that the trainer reads. */
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

/** Every folder that may contain a data set of files. */
export const fileSetFolders: readonly string[] = [...new Set(fileSets.flatMap(({ folders }) => folders))];

/**
 * Detects the data set in a folder, and which files belong to it.
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
