import { expect, test } from 'vitest';
import { fileSetOf } from './file-sets.ts';

test.each([
  [['./train-images.idx3-ubyte'], 'MNIST'],
  [['FashionMNIST/raw/t10k-images-idx3-ubyte.gz'], 'MNIST'],
  [['cifar-10-batches-bin/test_batch.bin'], 'CIFAR-10'],
  [['./train.bin', './fine_label_names.txt'], 'CIFAR-100'],
  [['elsewhere/train.bin', './other.bin', './train-images.png'], undefined],
])('%j is %s', (paths, name) => {
  expect(fileSetOf(paths)?.set.name).toBe(name);
});

test('only the set’s own files are used, from the folder that contains them', () => {
  const files = [
    './data_batch_1.bin',
    './data_batch_5.bin',
    './data_batch_6.bin',
    './notes.txt',
    'raw/test_batch.bin',
  ];
  expect(fileSetOf(files)?.files).toEqual(['./data_batch_1.bin', './data_batch_5.bin']);
});
