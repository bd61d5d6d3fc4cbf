// Reads and writes the installed models: in the database, or in MODELS_FILE if they are kept in version control.
import { open, readFile, rename, stat, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { AppError } from '../../lib/errors.ts';
import { syncFolder } from '../../lib/files.ts';
import type { Settings } from '../../lib/settings.ts';
import type { Model } from '../../nodes/models/model.ts';
import { ModelError, parseModel } from '../../nodes/models/parse-model.ts';
import { type AuditEntry, recordAudit, recordAuditAlone } from '../../store/audit/record-audit.ts';
import type { Db } from '../../store/db.ts';
import { type Actor, requireScope } from '../accounts/actor.ts';
import { getModelsRevision, listModels, notifyModels, raiseModelsRevision, upsertModels } from './store.ts';

export interface ModelsDeps {
  readonly db: Db;
  readonly settings: Pick<Settings, 'MODELS_FILE'>;
}

export interface InstalledModels {
  /** A write must name the revision that it is based on. */
  readonly revision: string;
  readonly models: readonly Model[];
  /** Why stored models are skipped, one sentence each. */
  readonly problems: readonly string[];
}

const MAX_MODELS = 5_000;
const MAX_FILE_BYTES = 33_554_432;

/** Returns the models for an administrator. */
export async function readModels(deps: ModelsDeps, actor: Actor): Promise<InstalledModels> {
  requireScope(actor, 'instance:admin');
  return loadModels(deps);
}

/** Reads the models for the service itself. An unusable model is skipped without affecting the others. */
export async function loadModels(deps: ModelsDeps): Promise<InstalledModels> {
  const file = deps.settings.MODELS_FILE;
  if (file !== undefined) return loadFile(file);
  // The revision is read first, so that a change between the two reads is newer than the revision and is read again.
  const revision = await getModelsRevision(deps.db);
  return { revision: String(revision), ...parseAll(await listModels(deps.db)) };
}

/** Returns the current revision without reading the models. */
export async function readModelsRevision({ db, settings }: ModelsDeps): Promise<string> {
  return settings.MODELS_FILE === undefined
    ? String(await getModelsRevision(db))
    : readFileRevision(settings.MODELS_FILE);
}

/**
 * Adds the models, replacing those with the same node type: all of them or none. Throws 400 for an invalid model, 409
 * if the models have changed since `revision` was read.
 */
export async function writeModels(
  deps: ModelsDeps,
  actor: Actor,
  input: { readonly revision: string; readonly models: readonly unknown[] },
): Promise<InstalledModels> {
  const admin = requireScope(actor, 'instance:admin');
  if (input.models.length > MAX_MODELS) {
    throw new AppError('invalid_request', `Too many models. The maximum per request is ${MAX_MODELS}.`);
  }
  const models = input.models.map(parseModelAt);
  const file = deps.settings.MODELS_FILE;
  const entry: AuditEntry = {
    action: 'models.changed',
    after: { models: models.map(({ nodeType }) => nodeType) },
  };
  if (file !== undefined) {
    await writeModelsFile(file, input.revision, models);
    await recordAuditAlone(deps.db, admin, entry);
  } else {
    await deps.db.transaction(async tx => {
      // The revision may come from MODELS_FILE, if the operator has removed that setting since.
      if (!/^\d{1,15}$/.test(input.revision)) throw createStaleWriteError();
      const newRevision = await raiseModelsRevision(tx, Number(input.revision));
      if (newRevision === undefined) throw createStaleWriteError();
      await upsertModels(tx, models);
      await notifyModels(tx);
      recordAudit(tx, admin, entry);
    });
  }
  return loadModels(deps);
}

function parseModelAt(value: unknown, index: number): Model {
  try {
    return parseModel(value);
  } catch (err) {
    if (!(err instanceof ModelError)) throw err;
    const path = `/models/${index}${err.path}`;
    throw new AppError('invalid_request', `Model ${index}: ${err.message}`, {
      issues: [{ path, code: 'invalid_request', message: err.message }],
    });
  }
}

function createStaleWriteError(): AppError {
  return new AppError('stale_write', 'The models changed after you read them. Try again.');
}

function parseAll(values: readonly unknown[]): Omit<InstalledModels, 'revision'> {
  const models: Model[] = [];
  const problems: string[] = [];
  for (const value of values.slice(0, MAX_MODELS)) {
    try {
      models.push(parseModel(value));
    } catch (err) {
      if (!(err instanceof ModelError)) throw err;
      problems.push(err.message);
    }
  }
  return { models, problems };
}

async function readFileRevision(file: string): Promise<string> {
  const stats = await stat(file, { bigint: true }).catch(ignoreMissing);
  return stats === undefined ? 'none' : `${stats.ino}-${stats.size}-${stats.mtimeNs}`;
}

async function loadFile(file: string): Promise<InstalledModels> {
  const revision = await readFileRevision(file);
  if (revision === 'none') return { revision, models: [], problems: [] };
  try {
    if (Number(revision.split('-')[1]) > MAX_FILE_BYTES) throw new Error('it is larger than 32 MB');
    const { models }: { readonly models?: unknown } = JSON.parse(await readFile(file, 'utf8'));
    if (!Array.isArray(models)) throw new Error('it has no list "models"');
    return { revision, ...parseAll(models) };
  } catch (err) {
    throw new AppError('unavailable', `MODELS_FILE (${file}) cannot be used: ${(err as Error).message}.`, {
      cause: err,
    });
  }
}

/** Writes the complete new file and then renames it over the old one, so that readers see one or the other. */
async function writeModelsFile(file: string, revision: string, changes: readonly Model[]): Promise<void> {
  const current = await loadFile(file);
  if (current.revision !== revision) throw createStaleWriteError();
  const byType = new Map([...current.models, ...changes].map(model => [model.nodeType, model]));
  const models = [...byType.values()].sort((a, b) => (a.nodeType < b.nodeType ? -1 : 1));
  const draft = join(dirname(file), `.${process.pid}-${Date.now()}.models`);
  const handle = await open(draft, 'wx');
  try {
    await handle.writeFile(`${JSON.stringify({ models }, null, 2)}\n`);
    await handle.sync();
    await handle.close();
    if ((await readFileRevision(file)) !== revision) throw createStaleWriteError();
    await rename(draft, file);
  } catch (err) {
    await unlink(draft).catch(ignoreMissing);
    throw err;
  }
  await syncFolder(dirname(file));
}

function ignoreMissing(err: NodeJS.ErrnoException): undefined {
  if (err.code !== 'ENOENT') throw err;
  return undefined;
}
