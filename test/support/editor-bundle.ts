// Bundles the web application for tests. All tests share the bundle.
import { join } from 'node:path';

/** The folder of the bundle. */
export const EDITOR_FOLDER = join(import.meta.dirname, '../../node_modules/.cache/editor');

/** Creates the bundle if it is missing or old, so that the processes of a run do not all do so at the same time. */
export async function prepareEditorBundle(): Promise<void> {
  const { openBundle } = await import('../../src/bundle/editor-files.ts');
  const onStoreError = (err: unknown): never => {
    throw err;
  };
  await openBundle({ folder: EDITOR_FOLDER, now: Date.now, onStoreError });
}
