// Keeps the web application in its place: what it imports of the rest, what its parts import of each other, and that its
// components use classes that there are.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix, relative } from 'node:path';
import { describe, it } from 'node:test';

const ROOT = join(import.meta.dirname, '../..');
const MAX_FILES_IN_FOLDER = 30;
const IMPORT =
  /^(?:import|export)\b[^'"]*?['"](?<specifier>\.[^'"\n]+)['"]|\bimport\('(?<lazyComponent>\.[^'\n]+)'\)/gm;

const files = readdirSync(join(ROOT, 'editor'), { recursive: true, withFileTypes: true })
  .filter(entry => entry.isFile() && /\.tsx?$/.test(entry.name))
  .map(entry => {
    const path = relative(ROOT, join(entry.parentPath, entry.name)).replaceAll('\\', '/');
    const text = readFileSync(join(ROOT, path), 'utf8');
    const imports = [...text.matchAll(IMPORT)].map(({ groups }) =>
      posix.join(dirname(path), groups?.specifier ?? groups?.lazyComponent ?? ''),
    );
    return { path, text, imports };
  });

const findImports = (breaks: (path: string, target: string) => boolean): string[] =>
  files.flatMap(({ path, imports }) =>
    imports.filter(target => breaks(path, target)).map(target => `${path} imports ${target}`),
  );

describe('the web application', () => {
  it('imports of the rest only graph and the SDK', () => {
    const allowed = /^(?:editor|sdk\/src|src\/graph)\//;
    assert.deepEqual(
      findImports((_, target) => !allowed.test(target)),
      [],
    );
    assert.ok(files.some(({ imports }) => imports.includes('sdk/src/errors.ts')));
  });

  it('has a kit and a library that know nothing of pages and frame', () => {
    const low = /^editor\/(?:kit|lib)\//;
    assert.deepEqual(
      findImports((path, target) => low.test(path) && /^editor\/(?:pages|frame)\//.test(target)),
      [],
    );
  });

  it('uses only classes that its style sheets have', () => {
    const wrong = files.flatMap(({ path, text }) => {
      const [, specifier] = /^import styles from '(.*)';$/m.exec(text) ?? [];
      if (specifier === undefined) return [];
      const sheet = posix.join(dirname(path), specifier);
      const css = readFileSync(join(ROOT, sheet), 'utf8');
      const used = new Set([...text.matchAll(/\bstyles\.(\w+)/g)].map(([, name = '']) => name));
      return [...used]
        .filter(name => !new RegExp(`\\.${name}(?![\\w-])`).test(css))
        .map(name => `${path}: .${name} is not in ${sheet}`);
    });
    assert.deepEqual(wrong, []);
  });

  it(`has no folder with more than ${MAX_FILES_IN_FOLDER} scripts`, () => {
    const folders = Map.groupBy(files, ({ path }) => dirname(path));
    assert.deepEqual(
      [...folders].filter(([, inside]) => inside.length > MAX_FILES_IN_FOLDER).map(([folder]) => folder),
      [],
    );
  });
});
