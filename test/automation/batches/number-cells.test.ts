// Tests how the cells of a table become numbers.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseNumberCell } from '../../../src/automation/batches/expand-rows.ts';

describe('parseNumberCell', () => {
  it('accepts the decimal notations that spreadsheets export', () => {
    const cells = ['42', ' 42 ', '+5', '-0.5', '.5', '5.', '007', '1e3', '1E-3'];
    assert.deepEqual(cells.map(parseNumberCell), [42, 42, 5, -0.5, 0.5, 5, 7, 1000, 0.001]);
  });

  it('preserves digits that a JavaScript number would lose', () => {
    const text = '9007199254740993';
    assert.equal(JSON.stringify(parseNumberCell(text)), text);
  });

  it('rejects other notations and texts', () => {
    for (const cell of ['', ' ', '0x10', '1,5', 'NaN', 'Infinity', '1e999', '--1', '1 000'])
      assert.throws(() => parseNumberCell(cell), /must be a number/, cell);
  });
});
