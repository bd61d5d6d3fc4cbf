// Tests the names of the files of a batch's results.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { nameResults } from '../../src/lib/result-names.ts';

const name = (
  row: Partial<Parameters<typeof nameResults>[0]>,
  labels: readonly string[] = ['Picture'],
  total = 120,
): readonly string[] => nameResults({ row: 7, key: null, inputs: [], ...row }, { total, labels });

describe('the file of a result', () => {
  it('is named by the row, its key and the output', () => {
    assert.deepEqual(name({ key: 'a/b c' }), ['007-a-b-c-Picture']);
    assert.deepEqual(name({ key: 'a', inputs: ['a red fox'] }), ['007-a-Picture']);
  });

  it('is named by the first text of a row without a key', () => {
    assert.deepEqual(name({ inputs: [3, 'https://a.example/b.png', 'med_1', ' - ', 'a red fox', 'b'] }), [
      '007-a-red-fox-Picture',
    ]);
    assert.deepEqual(name({ inputs: [3] }), ['007-Picture']);
  });

  it('has a name of its own', () => {
    assert.deepEqual(name({}, ['A', 'a', 'A-2', 'B']), ['007-A', '007-a-2', '007-A-2-2', '007-B']);
  });

  it('has a name that file systems accept', () => {
    const long = '一'.repeat(300);
    const [result = ''] = name({ key: long }, [long], 10_000);
    assert.ok(Buffer.byteLength(`${result}.jpeg.partial`) <= 255, String(Buffer.byteLength(result)));
    assert.match(result, /^00007-一+-一+$/);
  });
});
