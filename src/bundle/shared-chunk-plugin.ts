// Tells esbuild that the frame and the importing page are loaded before any module that is imported on demand.
//
// esbuild splits code by the set of entries and on-demand modules that use it. It does not know that the frame is always
// loaded first, so a module that the frame and three dialogs use gets a file of its own. This plugin makes each on-demand
// module import the frame and its page. Then esbuild combines most of these small files, which compress better together.
import { relative } from 'node:path';
import type { Plugin } from 'esbuild';

/** The namespace of on-demand modules: a metafile names them `on-demand:<path>`. */
export const ON_DEMAND = 'on-demand';
const PAGE = /^(editor\/pages\/[^/]+)\//;

/** `frame` lists the modules that are loaded before any page. */
export const createSharedChunkPlugin = (root: string, frame: readonly string[]): Plugin => ({
  name: 'shared-chunk',
  setup(build) {
    build.onResolve({ filter: /^\./ }, async ({ path, kind, importer, resolveDir, pluginData }) => {
      if (kind !== 'dynamic-import' || pluginData === ON_DEMAND) return undefined;
      const { path: file, errors } = await build.resolve(path, {
        kind,
        importer,
        resolveDir,
        pluginData: ON_DEMAND,
      });
      const [, page] = PAGE.exec(relative(root, importer)) ?? [];
      return {
        errors,
        path: relative(root, file),
        namespace: ON_DEMAND,
        // Distinguishes the imports of a module by two pages.
        suffix: page === undefined ? '' : `?${page}`,
      };
    });
    build.onLoad({ filter: /.*/, namespace: ON_DEMAND }, ({ path, suffix }) => {
      const page = suffix === '' ? [] : [`./${suffix.slice(1)}/page.tsx`];
      return {
        contents: [
          ...[...frame, ...page].map(module => `import '${module}';`),
          `export * from './${path}';`,
        ].join('\n'),
        resolveDir: root,
      };
    });
  },
});
