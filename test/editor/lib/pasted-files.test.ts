// Tests what a paste means, by the clipboards of several programs.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { getPastedFiles } from '../../../editor/lib/pasted-files.ts';

interface Clipboard {
  readonly files?: readonly string[];
  readonly plain?: string;
  readonly html?: string;
}

const countFiles = ({ files = [], plain = '', html = '' }: Clipboard): number => {
  const data: Readonly<Record<string, string>> = { 'text/plain': plain, 'text/html': html };
  const clipboardData = {
    files: files.map(name => new File(['x'], name, { type: 'image/png' })),
    getData: (type: string) => data[type] ?? '',
  };
  return getPastedFiles({ clipboardData: clipboardData as unknown as DataTransfer }).length;
};

it('a paste with text and its picture means the text', () => {
  const cells = { files: ['image.png'], plain: 'a\tb\r\n1\t2\r\n' };
  assert.equal(countFiles({ ...cells, html: '<table><tr><td>a</td></tr></table>' }), 0);
  // Some browsers offer no HTML.
  assert.equal(countFiles(cells), 0);
  // A cell with a URL.
  const url = 'https://example.com/a.jpg';
  assert.equal(countFiles({ files: ['image.png'], plain: url, html: `<table><td>${url}</td></table>` }), 0);
  assert.equal(countFiles({ plain: 'text' }), 0);
});

it('a paste of files means the files, also with their names or URL as text', () => {
  assert.equal(countFiles({ files: ['image.png'] }), 1);
  assert.equal(countFiles({ files: ['a.png', 'b.png'], plain: 'a.png\rb.png' }), 2);
  assert.equal(countFiles({ files: ['a.png'], plain: '/Users/ada/Pictures/a.png' }), 1);
  assert.equal(countFiles({ files: ['a.png'], plain: 'C:\\Pictures\\a.png' }), 1);
  const url = 'https://example.com/fox.jpg';
  assert.equal(countFiles({ files: ['image.png'], plain: url, html: `<img src="${url}">` }), 1);
});
