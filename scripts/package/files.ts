// Lists the files of the package besides the program's code.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Patterns of the files, without the sources that `src/bundle` reads. */
export const PACKAGED_FILES: readonly string[] = [
  'LICENSE',
  'README.md',
  'docs/*.md',
  'docs/images/*',
  'examples/**/*.json',
  'migrations/*.sql',
  'models/*',
  'scripts/trim-install.js',
  'src/**/*.{json,wasm,js,css}',
  'templates/**/*.json',
];

/** Returns the command of the package: the command of the checkout, but for the program as JavaScript. */
export function createPackagedCommand(root: string): string {
  return readFileSync(join(root, 'bin/graphwright.js'), 'utf8').replaceAll('main.ts', 'main.js');
}
