// The words of docs/glossary.md are kept: pictures and turns of phrase that a stranger to this code stumbles over stay out.
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { it } from 'node:test';

const ROOT = join(import.meta.dirname, '..');
const FOLDERS = ['src', 'test', 'bench', 'scripts', 'sdk', 'docs'];
/** They name the words themselves. */
const EXCEPTED = ['docs/glossary.md', 'test/words.test.ts'];

/** What stays out → what to write instead. */
const BANNED: readonly (readonly [RegExp, string])[] = [
  [/\b(?:tells?|told|telling)\b/i, 'report, notify, say, ask to'],
];

const files = FOLDERS.filter(folder => existsSync(join(ROOT, folder))).flatMap(folder =>
  readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile() && /\.(?:ts|js|md|wat)$/.test(entry.name))
    .map(entry => relative(ROOT, join(entry.parentPath, entry.name)))
    .filter(path => !path.includes('node_modules') && !EXCEPTED.includes(path)),
);

it('has no word in code, comments or pages that the glossary replaces', () => {
  const found = files.flatMap(path =>
    readFileSync(join(ROOT, path), 'utf8')
      .split('\n')
      .flatMap((line, index) =>
        BANNED.filter(([word]) => word.test(line)).map(
          ([word, instead]) => `${path}:${index + 1}: ${word.exec(line)?.[0]}; say ${instead}`,
        ),
      ),
  );
  assert.deepEqual(found, []);
});
