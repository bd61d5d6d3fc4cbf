// What the package brings along besides the program's code.

/** `src/bundle` reads sources, which the package has not. */
export const FILES: readonly string[] = [
  'LICENSE',
  'README.md',
  'docs/*.md',
  'docs/images/*',
  'examples/**/*.json',
  'migrations/*.sql',
  'models/*',
  'scripts/trim-install.js',
  'src/**/*.{json,wasm,js}',
  'templates/**/*.json',
];
