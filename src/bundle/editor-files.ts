// Provides the web application of a running service: reads the stored bundle, or creates it if it is missing.
import { type Bundle, bundleEditor, ROOT } from './bundle-editor.ts';
import { hashSources } from './source-hash.ts';
import { readBundle, removeOldBundles, SHIPPED_FOLDER, writeBundle } from './stored-bundles.ts';

export interface EditorState {
  /** Undefined while the bundle is being created, and if that failed. */
  readonly bundle: Bundle | undefined;
  readonly hasFailed: boolean;
}

export interface EditorFiles {
  readonly state: () => EditorState;
  /** Starts reading or creating the bundle. Resolves when the bundle is available or has failed. */
  start(): Promise<void>;
  /** Stops work in progress. */
  close(): Promise<void>;
}

interface Options {
  readonly folder: string;
  readonly now: () => number;
  readonly log: {
    info(fields: object, message: string): void;
    warn(fields: object, message: string): void;
    error(fields: object, message: string): void;
  };
}

/** Creates the provider of the files, which reads nothing before `start`. */
export function createEditorFiles({ folder, now, log }: Options): EditorFiles {
  const stop = new AbortController();
  let state: EditorState = { bundle: undefined, hasFailed: false };
  let starting: Promise<void> | undefined;
  const prepare = async (): Promise<void> => {
    const startedAt = now();
    try {
      // If the folder is not writable, each start bundles again; nothing else changes.
      const onStoreError = (err: unknown): undefined => {
        log.warn({ err }, 'the bundle of the web application could not be stored');
      };
      const { bundle, isNew } = await openBundle({ folder, now, onStoreError }, stop.signal);
      state = { bundle, hasFailed: false };
      if (isNew) log.info({ ms: now() - startedAt }, 'the web application is ready');
    } catch (err) {
      if (stop.signal.aborted) return;
      state = { bundle: undefined, hasFailed: true };
      log.error({ err }, 'the web application could not be bundled');
    }
  };
  return {
    state: () => state,
    start: () => {
      starting ??= prepare();
      return starting;
    },
    close: async () => {
      stop.abort();
      await starting;
    },
  };
}

interface OpenOptions extends Pick<Options, 'folder' | 'now'> {
  /** Called if the stored bundle could not be read or a new one could not be written. To fail, it throws the error. */
  readonly onStoreError: (err: unknown) => undefined;
}

/**
 * Returns the bundle that came with the package. If there is none, reads the bundle that was stored for the current
 * sources, or creates and stores it.
 */
export async function openBundle(
  { folder, now, onStoreError }: OpenOptions,
  signal?: AbortSignal,
): Promise<{ readonly bundle: Bundle; readonly isNew: boolean; readonly hash: string }> {
  const shipped = await readBundle(ROOT, SHIPPED_FOLDER);
  if (shipped !== undefined) return { bundle: shipped, isNew: false, hash: SHIPPED_FOLDER };
  const hash = await hashSources();
  const stored = await readBundle(folder, hash).catch(onStoreError);
  if (stored !== undefined) return { bundle: stored, isNew: false, hash };
  const bundle = await bundleEditor(signal);
  try {
    await writeBundle(folder, hash, bundle);
    await removeOldBundles(folder, hash, now());
  } catch (err) {
    onStoreError(err);
  }
  return { bundle, isNew: true, hash };
}
