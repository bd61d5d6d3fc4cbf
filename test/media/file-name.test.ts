// Tests the names of stored files.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { toFileName } from '../../src/media/file-name.ts';

const PNG = { extension: 'png' } as const;

it('keeps letters of all languages, in their composed form', () => {
  assert.equal(toFileName('劳动合同.png', PNG), '劳动合同.png');
  assert.equal(toFileName('Größe e\u0301te\u0301.PNG', PNG), 'Größe-été.PNG');
  assert.equal(toFileName('हिन्दी 1.png', PNG), 'हिन्दी-1.png');
});

it('replaces everything else, and adds the extension of the type', () => {
  assert.equal(toFileName('../../etc/passwd', PNG), 'passwd.png');
  assert.equal(toFileName('a%2f?#"\u202e\u0000<b>.png', PNG), 'a-2f-b-.png');
  assert.equal(toFileName('page.html', PNG), 'page.html.png');
  assert.equal(toFileName('...', PNG), 'file.png');
  assert.equal(toFileName('photo.jpeg', { extension: 'jpg' }), 'photo.jpeg');
});

it('cuts long names between characters', () => {
  const long = toFileName(`${'𠮷'.repeat(200)}.png`, PNG);
  assert.equal([...long].length, 100);
  assert.ok(long.isWellFormed() && long.endsWith('.png'));
  assert.equal([...toFileName('𠮷'.repeat(200), PNG)].length, 100);
});
