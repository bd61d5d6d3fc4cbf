// The words of docs/glossary.md are kept: pictures and turns of phrase that a stranger to this code stumbles over stay out.
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { it } from 'node:test';

const ROOT = join(import.meta.dirname, '..');
const FOLDERS = ['src', 'test', 'bench', 'scripts', 'sdk', 'docs', 'editor'];
/** The first two name the words themselves, the third a column. */
const EXCEPTED = ['docs/glossary.md', 'test/words.test.ts', 'src/store/oauth/keys.ts'];

/** What stays out → what to write instead. */
const BANNED: readonly (readonly [RegExp, string])[] = [
  [/\b(?:tells?|told|telling)\b/i, 'report, notify, say, ask to'],
  [/\b(?:amid|beside)\b/i, 'during, next to, together with'],
  [/\bby turns\b/i, 'alternating, one after the other'],
  [
    /\bin hand\b|inHand|\b(?:nobody's|other|worker's|its) hands\b|\bat hand\b/i,
    'active, assigned, available',
  ],
  [/\blets? go\b|letGo/i, 'release, released'],
  [/\bstrays?\b|[a-z]Stray|(?<!media_)strays\b/i, 'orphan'],
  [/crowded|full-?handed|\bpark(?:s|ing|Runs)?\b/i, 'saturated, at its limit, defer'],
  [/\bbells?\b|createBell|\blanes?\b/i, 'notifier, subscription, queue'],
  [/\bpatien(?:ce|t)|patienceMs/i, 'retry, wait'],
  [/\bgood for (?:\d|one|an?|as long|ever)\b/i, 'valid for'],
  [
    /\bin vain\b|\bto be had\b|\bcannot be had\b|\bfor want of\b|\blest\b|\bcome to pass\b/i,
    'without a result, reached, read, because … is missing, so that … not, happen',
  ],
  [/\b(?:un)?sealed\b|reveal-secrets|\bburied\b/i, 'encrypted, resolve, mark dead'],
];

const files = [
  ...readdirSync(ROOT).filter(name => name.endsWith('.md')),
  ...FOLDERS.filter(folder => existsSync(join(ROOT, folder))).flatMap(folder =>
    readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
      .filter(entry => entry.isFile() && /\.(?:tsx?|js|css|md|wat)$/.test(entry.name))
      .map(entry => relative(ROOT, join(entry.parentPath, entry.name)))
      .filter(path => !path.includes('node_modules') && !EXCEPTED.includes(path)),
  ),
];

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
