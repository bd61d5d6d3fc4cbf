// Lists the files of the npm package, except for the program's code.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Patterns of the packaged files. The sources of the web application are not packaged. */
export const PACKAGED_FILES: readonly string[] = [
  'LICENSE',
  'README.md',
  'docs/*.md',
  'docs/images/*',
  'examples/**/*.json',
  'migrations/*.sql',
  'models/**/*.json',
  'scripts/trim-install.js',
  'src/**/*.{json,wasm,js,css}',
  'templates/**/*.json',
];

/** Returns the text of the packaged command, which imports the program as JavaScript. */
export function createPackagedCommand(root: string): string {
  return readFileSync(join(root, 'bin/graphwright.js'), 'utf8').replaceAll('main.ts', 'main.js');
}
