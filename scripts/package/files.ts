// Lists the files of the package besides the program's code.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** `src/bundle` reads sources, which the package does not contain. */
export const FILES: readonly string[] = [
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

/** Returns the package's command: the checkout's command with the program as JavaScript. */
export function packagedBin(root: string): string {
  return readFileSync(join(root, 'bin/graphwright.js'), 'utf8').replaceAll('main.ts', 'main.js');
}
