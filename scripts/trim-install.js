// Removes from node_modules what packages bring and nothing here ever reads. npm runs it after each install ("prepare"),
// with whatever Node there is, so it is plain JavaScript for Node 20 and later.
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const MODULES = join(import.meta.dirname, '../node_modules');

/** Folder → which paths in it nobody reads. */
const UNREAD = {
  // Headers for compiling C++ against Node: 67 MB. Nothing is compiled here.
  node: /^node_modules[\\/][^\\/]+[\\/]include$/,
  // Fonts in the older format, emoji once more in ten parts, and style sheets for browsers; woff2 files are read.
  '@fontsource': /(?:\.woff|noto-color-emoji-\d+-[^\\/]*|\.css|\.scss)$/,
  '@fontsource-variable': /(?:\.woff|\.css|\.scss)$/,
};

for (const [name, isUnread] of Object.entries(UNREAD)) {
  const folder = join(MODULES, name);
  if (!existsSync(folder)) continue;
  for (const path of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (isUnread.test(path)) rmSync(join(folder, path), { recursive: true, force: true });
  }
}
