// Keeps the installed models current in every process: reads them at startup and after each change. A notification
// triggers the read. The revision is also polled in case a notification was lost.
import type { Logger } from '../../lib/log.ts';
import type { Timing } from '../../lib/timing.ts';
import type { Model } from '../../nodes/models/model.ts';
import { loadModels, type ModelsDeps, readModelsRevision } from './models.ts';

export interface LiveModels {
  /** Reads the models again if they have changed. Never rejects: on failure the previous models stay in use. */
  refresh(): Promise<void>;
  /** Stops polling and waits for a read in progress. */
  close(): Promise<void>;
}

/** Reads the models and keeps them current. Throws if they cannot be read at startup. */
export async function startLiveModels(
  deps: ModelsDeps & { readonly log: Logger; readonly timing: Timing },
  install: (models: readonly Model[]) => void,
): Promise<LiveModels> {
  let currentRevision: string | undefined;
  const load = async (): Promise<void> => {
    if (currentRevision !== undefined && (await readModelsRevision(deps)) === currentRevision) return;
    const { revision, models, problems } = await loadModels(deps);
    for (const problem of problems) deps.log.warn({ problem }, 'a model cannot be used and is left out');
    if (models.length > 0 || currentRevision !== undefined) install(models);
    currentRevision = revision;
  };
  await load();
  // The reads are sequential, so that a change during a read is read afterwards.
  let lastRead = Promise.resolve();
  const refresh = (): Promise<void> => {
    lastRead = lastRead
      .then(load)
      .catch((err: unknown) => deps.log.warn({ err }, 'the models could not be read again'));
    return lastRead;
  };
  const timer = setInterval(() => void refresh(), deps.timing.modelsPollMs);
  timer.unref();
  return {
    refresh,
    close: () => {
      clearInterval(timer);
      return lastRead;
    },
  };
}
