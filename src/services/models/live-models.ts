// The operator's models in use: read at the start, and again in every process soon after any of them has changed them.
// A notification makes it at once; the revision is looked at now and then, for the notification that was lost.
import type { Logger } from '../../lib/log.ts';
import type { Model } from '../../nodes/models/model.ts';
import { loadModels, type ModelsDeps, modelsRevision } from './models.ts';

export interface LiveModels {
  /** Reads them again where they have changed. Never rejects: the models of before stay in use. */
  refresh(): Promise<void>;
  /** Ends the looking, and waits for what is under way. */
  close(): Promise<void>;
}

const CHECK_MS = 5_000;

/** Throws where they cannot be read at the start. */
export async function startLiveModels(
  deps: ModelsDeps & { readonly log: Logger },
  install: (models: readonly Model[]) => void,
): Promise<LiveModels> {
  let current: string | undefined;
  const load = async (): Promise<void> => {
    if (current !== undefined && (await modelsRevision(deps)) === current) return;
    const { revision, models, problems } = await loadModels(deps);
    for (const problem of problems) deps.log.warn({ problem }, 'a model cannot be used and is left out');
    if (models.length > 0 || current !== undefined) install(models);
    current = revision;
  };
  await load();
  // One after the other: a change that comes while one is read is read next.
  let last = Promise.resolve();
  const refresh = (): Promise<void> => {
    last = last
      .then(load)
      .catch((err: unknown) => deps.log.warn({ err }, 'the models could not be read again'));
    return last;
  };
  const timer = setInterval(() => void refresh(), CHECK_MS);
  timer.unref();
  return {
    refresh,
    close: () => {
      clearInterval(timer);
      return last;
    },
  };
}
