// Receives inline uploads: a multipart form, a data URL, or a URL to fetch.
import { AppError } from '../../lib/errors.ts';
import { matchesSchema } from '../../lib/schema-check.ts';
import { getMaxBytes } from '../../media/accepted-types.ts';
import { type DataUrl, parseDataUrl } from '../../media/data-url.ts';
import { canInWorkspace, getWorkspaceId } from '../accounts/access.ts';
import type { Actor } from '../accounts/actor.ts';
import { requireScope } from '../accounts/actor.ts';
import { getActiveWorkspace } from '../accounts/teams.ts';
import type { Deps } from '../deps.ts';
import type { InlineBody } from './media.schema.ts';
import { Hints } from './media.schema.ts';
import { presentUpload } from './media-record.ts';
import type { FileOwner, ReceivedFile } from './receive-file.ts';
import { dropFile, receiveFile, recordFile } from './receive-file.ts';
import { receiveUrl } from './receive-url.ts';
import { requireFreeStorage } from './storage-quota.ts';

/** A part of a multipart form, as it arrives. */
export type FormPart =
  | { readonly field: string; readonly value: string }
  | {
      readonly field: string;
      readonly source: AsyncIterable<Uint8Array>;
      readonly declaredContentType: string | undefined;
      readonly name: string;
    };

/**
 * Requires that the actor may upload, and returns the owner of the new file: the user, in the active workspace. Throws
 * 401, 403 for a viewer of the team, 413 if the storage is full.
 */
export async function authorizeUpload(deps: Deps, actor: Actor): Promise<FileOwner> {
  const user = requireScope(actor, 'workflows:write');
  const workspace = await getActiveWorkspace(deps.db, user);
  if (!canInWorkspace(user, 'edit', workspace)) {
    throw new AppError('forbidden', "You don't have permission to add media to the active team.");
  }
  await requireFreeStorage(deps, user.userId);
  return { userId: user.userId, workspace: getWorkspaceId(workspace), origin: 'upload', executionId: null };
}

/** Stores the file of a form while it arrives. Fields may precede or follow the file. */
export async function uploadForm(
  deps: Deps,
  actor: Actor,
  form: AsyncIterable<FormPart>,
  signal: AbortSignal,
) {
  const owner = await authorizeUpload(deps, actor);
  const { file, hints } = await readForm(deps, form, signal);
  return recordUpload(deps, file, owner, hints);
}

async function recordUpload(deps: Deps, file: ReceivedFile, owner: FileOwner, hints: Hints) {
  const { warnings = [] } = file;
  const upload = presentUpload(deps, await recordFile(deps, file, owner, hints));
  return warnings.length === 0 ? upload : { ...upload, warnings };
}

async function readForm(
  deps: Deps,
  form: AsyncIterable<FormPart>,
  signal: AbortSignal,
): Promise<{ readonly file: ReceivedFile; readonly hints: Hints }> {
  const fields = new Map<string, string>();
  let file: ReceivedFile | undefined;
  try {
    for await (const part of form) {
      if ('value' in part) fields.set(part.field, part.value);
      else if (part.field !== 'file')
        throw createInvalidFormError(`The form has a file part named ${part.field}. Rename it to file.`);
      else if (file !== undefined)
        throw createInvalidFormError('The form has more than one file. Send one file per request.');
      else
        file = await receiveFile(deps, { ...part, maxBytes: type => getMaxBytes('multipart', type) }, signal);
    }
    if (file === undefined)
      throw createInvalidFormError('The form has no file. Send it as a part named file.');
    return { file, hints: parseHints(fields) };
  } catch (err) {
    if (file !== undefined) await dropFile(deps, file.id);
    throw err;
  }
}

/** Parses the numeric fields of the form; an empty field counts as absent. */
function parseHints(fields: ReadonlyMap<string, string>): Hints {
  const filled = [...fields].filter(([, text]) => text.trim() !== '');
  const hints: unknown = Object.fromEntries(filled.map(([name, text]) => [name, Number(text)]));
  if (matchesSchema(Hints, hints)) return hints;
  throw createInvalidFormError(
    'Besides file, the form may contain width and height (integers from 1 to 100000) and duration (seconds, up to 86400).',
  );
}

/** Stores the file of a data URL, or the file at a URL. */
export async function uploadInline(deps: Deps, actor: Actor, body: InlineBody, signal: AbortSignal) {
  const owner = await authorizeUpload(deps, actor);
  const { dataUrl, url, ...hints } = body;
  if ((dataUrl === undefined) === (url === undefined))
    throw createInvalidFormError('Send either dataUrl or url.');
  const file =
    dataUrl === undefined
      ? await receiveUrl(deps, url ?? '', signal)
      : await receiveFile(deps, toIncoming(parseDataUrl(dataUrl)), signal);
  return recordUpload(deps, file, owner, hints);
}

function toIncoming({ contentType, bytes }: DataUrl) {
  const maxBytes = (type: Parameters<typeof getMaxBytes>[1]): number => getMaxBytes('dataUrl', type);
  return { source: bytes, maxBytes, declaredContentType: contentType, name: 'file' };
}

function createInvalidFormError(message: string): AppError {
  return new AppError('invalid_request', message);
}
