// Imports Lucide icons as components, as in `import Play from 'icon:play'`. Only imported icons are bundled.
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Plugin } from 'esbuild';

interface IconSet {
  readonly icons: Readonly<Record<string, { readonly body: string }>>;
  readonly aliases?: Readonly<Record<string, { readonly parent: string }>>;
}

const FILTER = /^icon:/;

export const iconPlugin: Plugin = {
  name: 'icons',
  setup(build) {
    // The icons are read once per build, and only if an icon is used.
    let reading: Promise<IconSet> | undefined;
    build.onResolve({ filter: FILTER }, ({ path, resolveDir }) => ({
      path: path.replace(FILTER, ''),
      namespace: 'icon',
      pluginData: resolveDir,
    }));
    build.onLoad({ filter: /.*/, namespace: 'icon' }, async ({ path, pluginData }) => {
      reading ??= readIcons();
      const iconSet = await reading;
      const body = iconSet.icons[iconSet.aliases?.[path]?.parent ?? path]?.body;
      if (body === undefined) return { errors: [{ text: `The Lucide set has no icon ${path}.` }] };
      const contents = `import { createIcon } from './editor/kit/icon.ts';\nexport default createIcon(${JSON.stringify(body)});`;
      return { contents, loader: 'js', resolveDir: build.initialOptions.absWorkingDir ?? String(pluginData) };
    });
  },
};

async function readIcons(): Promise<IconSet> {
  const file = createRequire(import.meta.url).resolve('@iconify-json/lucide/icons.json');
  return JSON.parse(await readFile(file, 'utf8')) as IconSet;
}
