// The web application of a running service: its bundle from the folder where it is kept, or made there when it is missing.
import { type Bundle, bundleEditor, ROOT } from './bundle-editor.ts';
import { readBundle, removeOldBundles, SHIPPED_FOLDER, writeBundle } from './kept-bundles.ts';
import { hashSources } from './source-hash.ts';

export interface EditorState {
  /** undefined while it is being made, and where it could not be. */
  readonly bundle: Bundle | undefined;
  readonly failed: boolean;
}

export interface EditorFiles {
  readonly state: () => EditorState;
  /** Begins to read or make the bundle. Resolves when that has ended, well or not. */
  start(): Promise<void>;
  /** Stops what is under way. */
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

/** Nothing is read before `start`. */
export function createEditorFiles({ folder, now, log }: Options): EditorFiles {
  const stop = new AbortController();
  let state: EditorState = { bundle: undefined, failed: false };
  let starting: Promise<void> | undefined;
  const prepare = async (): Promise<void> => {
    const startedAt = now();
    try {
      // A folder that cannot be written to costs each start the bundling, and nothing else.
      const onUnkept = (err: unknown): undefined => {
        log.warn({ err }, 'the bundle of the web application could not be kept');
      };
      const { bundle, isNew } = await openBundle({ folder, now, onUnkept }, stop.signal);
      state = { bundle, failed: false };
      if (isNew) log.info({ ms: now() - startedAt }, 'the web application is ready');
    } catch (err) {
      if (stop.signal.aborted) return;
      state = { bundle: undefined, failed: true };
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
  /** Called where the kept bundle could not be read, or a new one not written; what it throws is thrown. */
  readonly onUnkept: (err: unknown) => undefined;
}

/** Reads the bundle that came with the package, else that of the present sources; or makes and keeps the latter. */
export async function openBundle(
  { folder, now, onUnkept }: OpenOptions,
  signal?: AbortSignal,
): Promise<{ readonly bundle: Bundle; readonly isNew: boolean; readonly hash: string }> {
  const shipped = await readBundle(ROOT, SHIPPED_FOLDER);
  if (shipped !== undefined) return { bundle: shipped, isNew: false, hash: SHIPPED_FOLDER };
  const hash = await hashSources();
  const kept = await readBundle(folder, hash).catch(onUnkept);
  if (kept !== undefined) return { bundle: kept, isNew: false, hash };
  const bundle = await bundleEditor(signal);
  try {
    await writeBundle(folder, hash, bundle);
    await removeOldBundles(folder, hash, now());
  } catch (err) {
    onUnkept(err);
  }
  return { bundle, isNew: true, hash };
}
