// Removes files from node_modules that are never used. npm runs this script after each install with the installed Node, so
// it is plain JavaScript for Node 20 and later.
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const MODULES = join(import.meta.dirname, '../node_modules');

/** Patterns of unused paths, by folder. */
const UNUSED_PATHS = {
  // Headers for compiling C++ against Node: 67 MB. Nothing is compiled here.
  node: /^node_modules[\\/][^\\/]+[\\/]include$/,
  // Fonts in an older format, a second copy of the emoji in ten parts, and style sheets. Only woff2 files are used.
  '@fontsource': /(?:\.woff|noto-color-emoji-\d+-[^\\/]*|\.css|\.scss)$/,
  '@fontsource-variable': /(?:\.woff|\.css|\.scss|-(?:full|standard|wdth|opsz|slnt)-[^\\/]*)$/,
};

for (const [name, pattern] of Object.entries(UNUSED_PATHS)) {
  const folder = join(MODULES, name);
  if (!existsSync(folder)) continue;
  for (const path of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (pattern.test(path)) rmSync(join(folder, path), { recursive: true, force: true });
  }
}
