// Tests how the cells of a table become numbers.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseNumberCell } from '../../../src/automation/batches/expand-rows.ts';

/** Returns the JSON text of the number, or the problem of the cell. */
function parse(cell: string): string {
  const parsed = parseNumberCell(cell);
  return typeof parsed === 'string' ? parsed : parsed.value.text;
}

describe('parseNumberCell', () => {
  it('accepts the decimal notations that spreadsheets export', () => {
    const cells = ['42', ' 42 ', '+5', '-0.5', '.5', '5.', '007', '1e3', '1E-3'];
    assert.deepEqual(cells.map(parse).map(Number), [42, 42, 5, -0.5, 0.5, 5, 7, 1000, 0.001]);
  });

  it('preserves digits that a JavaScript number would lose', () => {
    assert.equal(parse('9007199254740993'), '9007199254740993');
  });

  it('rejects other notations and texts', () => {
    for (const cell of ['', ' ', '0x10', '1,5', 'NaN', 'Infinity', '1e999', '--1', '1 000'])
      assert.equal(parse(cell), 'must be a number', cell);
  });
});
