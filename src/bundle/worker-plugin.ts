// Bundles workers: `import file from 'worker:NAME'` builds the source file NAME next to the importer as a separate script,
// and imports the script's file name.
import { join } from 'node:path';
import type { Plugin } from 'esbuild';

const FILTER = /^worker:/;

export const workerPlugin: Plugin = {
  name: 'workers',
  setup(build) {
    build.onResolve({ filter: FILTER }, ({ path, resolveDir }) => {
      const source = join(resolveDir, path.replace(FILTER, ''));
      // The file loader names its output by this path.
      return { path: source.replace(/\.ts$/, '.js'), namespace: 'worker', pluginData: source };
    });
    build.onLoad({ filter: /.*/, namespace: 'worker' }, async ({ pluginData }) => {
      const { target, minify } = build.initialOptions;
      const { outputFiles, metafile } = await build.esbuild.build({
        absWorkingDir: build.initialOptions.absWorkingDir ?? process.cwd(),
        entryPoints: [String(pluginData)],
        bundle: true,
        format: 'esm',
        write: false,
        metafile: true,
        logLevel: 'silent',
        legalComments: 'none',
        ...(target === undefined ? {} : { target }),
        ...(minify === undefined ? {} : { minify }),
      });
      return {
        contents: outputFiles[0]?.contents ?? '',
        loader: 'file',
        watchFiles: Object.keys(metafile.inputs),
      };
    });
  },
};
