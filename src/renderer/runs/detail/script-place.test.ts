import { describe, expect, it } from 'vitest';
import { scriptPlace } from './script-place.ts';

const crash = `Traceback (most recent call last):
  File "/home/anna/.ringlab/runs/r-1/code/train.py", line 9, in <module>
    main()
  File "/home/anna/.ringlab/runs/r-1/code/pkg/net.py", line 31, in forward
    return self.layer(x)
  File "/usr/lib/python3/dist-packages/torch/nn/modules/module.py", line 1194, in _call_impl
RuntimeError: mat1 and mat2 shapes cannot be multiplied`;

describe('the place that a traceback names', () => {
  it.each([
    ['the innermost frame of own code', crash, { file: 'pkg/net.py', line: 31 }],
    ['a syntax error', 'File "train.py", line 3\n    def f(:\nSyntaxError', { file: 'train.py', line: 3 }],
    ['the original', 'File "/root/.ringlab/code/ab12/train.py", line 7', { file: 'train.py', line: 7 }],
    ['libraries only', 'File "/usr/lib/python3/x.py", line 1', undefined],
    ['a path that leads out', 'File "../../etc/x.py", line 1', undefined],
    ['no file', 'File "<string>", line 1', undefined],
    ['other words', 'killed', undefined],
  ])('%s', (_, text, place) => {
    expect(scriptPlace(['before', text])).toEqual(place);
  });
});
