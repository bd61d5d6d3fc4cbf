// Checks that the web application imports only allowed folders of the repository, and that components use only classes
// of their style sheets.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix, relative } from 'node:path';
import { describe, it } from 'node:test';

const ROOT = join(import.meta.dirname, '../..');
const IMPORT =
  /^(?:import|export)\b[^'"]*?['"](?<specifier>\.[^'"\n]+)['"]|\bimport\('(?<lazy>\.[^'\n]+)'\)/gm;

const files = readdirSync(join(ROOT, 'editor'), { recursive: true, withFileTypes: true })
  .filter(entry => entry.isFile() && /\.tsx?$/.test(entry.name))
  .map(entry => {
    const path = relative(ROOT, join(entry.parentPath, entry.name)).replaceAll('\\', '/');
    const text = readFileSync(join(ROOT, path), 'utf8');
    const imports = [...text.matchAll(IMPORT)].map(({ groups }) =>
      posix.join(dirname(path), groups?.specifier ?? groups?.lazy ?? ''),
    );
    return { path, text, imports };
  });

const findImports = (isForbidden: (path: string, target: string) => boolean): string[] =>
  files.flatMap(({ path, imports }) =>
    imports.filter(target => isForbidden(path, target)).map(target => `${path} imports ${target}`),
  );

describe('the source of the web application', () => {
  it('imports only graph and the SDK from the rest of the repository', () => {
    const allowed = /^(?:editor|sdk\/src|src\/graph)\//;
    assert.deepEqual(
      findImports((_, target) => !allowed.test(target)),
      [],
    );
    assert.ok(files.some(({ imports }) => imports.includes('sdk/src/errors.ts')));
  });

  it('uses only classes that its style sheets define', () => {
    const missingClasses = files.flatMap(({ path, text }) => {
      const [, specifier] = /^import styles from '(.*)';$/m.exec(text) ?? [];
      if (specifier === undefined) return [];
      const sheet = posix.join(dirname(path), specifier);
      const css = readFileSync(join(ROOT, sheet), 'utf8');
      const usedClasses = new Set([...text.matchAll(/\bstyles\.(\w+)/g)].map(([, name = '']) => name));
      return [...usedClasses]
        .filter(name => !new RegExp(`\\.${name}(?![\\w-])`).test(css))
        .map(name => `${path}: .${name} is not in ${sheet}`);
    });
    assert.deepEqual(missingClasses, []);
  });
});
