// Bundles the web application for tests. All tests share the bundle.
import { join } from 'node:path';
import { createEditorFiles, type EditorFiles, openBundle } from '../../src/bundle/editor-files.ts';
import { createLogger } from '../../src/lib/log.ts';

/** The folder of the bundle. */
export const EDITOR_FOLDER = join(import.meta.dirname, '../../node_modules/.cache/editor');

/** Creates the bundle if it is missing or old, so that the processes of a run do not all do so at the same time. */
export async function prepareEditorBundle(): Promise<void> {
  const onStoreError = (err: unknown): never => {
    throw err;
  };
  await openBundle({ folder: EDITOR_FOLDER, now: Date.now, onStoreError });
}

export const createTestEditor = (): EditorFiles =>
  createEditorFiles({ folder: EDITOR_FOLDER, log: createLogger('silent'), now: Date.now });

const sharedEditor = createTestEditor();

/**
 * Returns the files that the services of this process share, because finding the bundle of the sources reads all of them.
 * Waits until the bundle is ready: before, pages of the application say that it is starting.
 */
export async function openSharedEditor(): Promise<EditorFiles> {
  await sharedEditor.start();
  return sharedEditor;
}
