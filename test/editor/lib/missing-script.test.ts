// Tests which errors ask the user to reload the page, because the service was updated.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { isMissingScript } from '../../../editor/lib/missing-script.ts';

it('a script is missing only if the browser could not import it', () => {
  for (const message of [
    'Failed to fetch dynamically imported module: https://example.com/assets/page.js',
    'error loading dynamically imported module: https://example.com/assets/page.js',
    'Importing a module script failed.',
  ]) {
    assert.equal(isMissingScript(new TypeError(message)), true, message);
    assert.equal(isMissingScript(new Error(message)), false, message);
  }
  for (const message of [
    "Cannot read properties of undefined (reading 'payload')",
    'important.map is not a function',
    'Failed to fetch',
  ])
    assert.equal(isMissingScript(new TypeError(message)), false, message);
});
