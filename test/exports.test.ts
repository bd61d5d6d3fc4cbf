// Checks that every exported value is imported somewhere; otherwise it should be private or deleted.
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';
import { it } from 'node:test';

const ROOT = join(import.meta.dirname, '..');
const FOLDERS = ['src', 'sdk/src', 'editor', 'test', 'bench', 'scripts'];
const EXPORT = /^export (?:async )?(?:const|function\*?|class) (\w+)/gm;
const IMPORT = /(?:import|export)\s+(?:type\s+)?(\{[^}]*\}|\* as \w+)\s*from\s+'(\.[^']+)'/g;
const DYNAMIC = /(\{[^{}]*\})?\s*=?\s*(?:await )?\bimport\(\s*'(\.[^']+)'/g;

const files = FOLDERS.filter(folder => existsSync(join(ROOT, folder))).flatMap(folder =>
  readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter(
      entry => entry.isFile() && /\.tsx?$/.test(entry.name) && !entry.parentPath.includes('node_modules'),
    )
    .map(entry => {
      const path = relative(ROOT, join(entry.parentPath, entry.name));
      return { path, text: readFileSync(join(ROOT, path), 'utf8') };
    }),
);

/** Lists `file name` for each imported value, and `file *` for each import of a whole file. */
function listImports(): ReadonlySet<string> {
  const imports = new Set<string>();
  for (const { path, text } of files)
    for (const pattern of [IMPORT, DYNAMIC])
      for (const [, names = '*', specifier = ''] of text.matchAll(pattern)) {
        const file = normalize(join(dirname(path), specifier));
        if (!names.startsWith('{')) imports.add(`${file} *`);
        else
          for (const [name] of names.matchAll(/\w+(?=\s*(?:[,:}]|as\b|$))/g)) imports.add(`${file} ${name}`);
      }
  return imports;
}

it('every exported value in src is imported somewhere', () => {
  const used = listImports();
  const unused = files
    .filter(({ path }) => path.startsWith('src/'))
    .flatMap(({ path, text }) => [...text.matchAll(EXPORT)].map(([, name = '']) => `${path} ${name}`))
    .filter(line => !used.has(line) && !used.has(line.replace(/ \w+$/, ' *')));
  assert.deepEqual(unused, []);
});
