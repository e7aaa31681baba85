import { describe, expect, it } from 'vitest';
import { missingHeaders } from './standard-headers.mjs';

describe('standard headers', () => {
  it('are missing where they are used and not included', () => {
    expect(missingHeaders('#include <string>\nuint64_t count = std::max<int>(1, 2);\n')).toEqual([
      'algorithm',
      'cstdint',
    ]);
  });

  it('may stand in the file’s own header', () => {
    expect(missingHeaders('uint64_t count = 0;', '#include <cstdint>\n')).toEqual([]);
    expect(missingHeaders('#include <cstdint>\nuint64_t count = 0;')).toEqual([]);
  });

  it('are not needed by comments and texts', () => {
    expect(missingHeaders('// a uint64_t\nauto name = "std::optional";\n')).toEqual([]);
  });
});
