// Media over HTTP: the inline door, the presigned one, listing and deleting.
import type { FastifyRequest } from 'fastify';
import { AppError } from '../../lib/errors.ts';
import { isRecord } from '../../lib/record.ts';
import { Success } from '../../services/accounts/account.schema.ts';
import type { Deps } from '../../services/deps.ts';
import { completeUpload } from '../../services/media/complete-upload.ts';
import { listMedia, readMediaItem, removeMedia } from '../../services/media/list-media.ts';
import {
  CompleteBody,
  InlineUpload,
  ListMediaQuery,
  MediaItem,
  MediaPage,
  MediaParams,
  MediaUsePage,
  MintBody,
  MintedUpload,
  RemoveMediaQuery,
  UploadResult,
} from '../../services/media/media.schema.ts';
import { listUses } from '../../services/media/media-uses.ts';
import { mintUpload } from '../../services/media/presigned-upload.ts';
import { uploadForm, uploadInline } from '../../services/media/upload-media.ts';
import { PageQuery } from '../../services/paging.ts';
import type { App } from '../app.ts';
import { isForm, MAX_UPLOAD_BYTES, readForm, registerForms } from '../form.ts';
import { documented, done } from '../route.ts';

const about = documented('Media');

export function registerMedia(app: App, deps: Deps): void {
  registerPresigned(app, deps);
  app.get(
    '/api/v1/media',
    about(
      'List the media of the active workspace, newest first: uploads, outputs of runs, or previews',
      { 200: MediaPage },
      { querystring: ListMediaQuery },
    ),
    req => listMedia(deps, req.actor, req.query),
  );
  app.get(
    '/api/v1/media/:id',
    about('Read about a media file', { 200: MediaItem }, { params: MediaParams }),
    req => readMediaItem(deps, req.actor, req.params.id),
  );
  app.get(
    '/api/v1/media/:id/uses',
    about(
      'List where a media file is used',
      { 200: MediaUsePage },
      { params: MediaParams, querystring: PageQuery },
    ),
    ({ actor, params, query }) => listUses(deps, actor, params.id, query),
  );
  app.delete(
    '/api/v1/media/:id',
    about(
      'Delete a media file that no workflow uses',
      { 200: Success },
      { params: MediaParams, querystring: RemoveMediaQuery },
    ),
    req => done(removeMedia(deps, req.actor, req.params.id, req.query)),
  );
  // In a scope of its own: nothing else takes forms, or bodies of this size.
  void app.register(async scope => registerInline(scope, deps));
}

async function registerInline(scope: App, deps: Deps): Promise<void> {
  registerForms(scope);
  scope.setErrorHandler(err => {
    throw isRecord(err) && err.code === 'FST_ERR_CTP_BODY_TOO_LARGE'
      ? new AppError('file_too_large', 'The file is over the limit: 3 MB by dataUrl, 4 MB by multipart.')
      : err;
  });
  scope.post(
    '/api/v1/media/upload',
    {
      bodyLimit: MAX_UPLOAD_BYTES,
      ...about(
        'Upload a file by form or data URL, or have one fetched from an address',
        { 200: UploadResult },
        { consumes: ['multipart/form-data', 'application/json'], body: InlineUpload },
      ),
    },
    (req, reply) => {
      const signal = reply.closeSignal();
      if (isForm(req)) return uploadForm(deps, req.actor, readForm(req), signal);
      return uploadInline(deps, req.actor, req.body, signal);
    },
  );
}

function registerPresigned(app: App, deps: Deps): void {
  app.post(
    '/api/v1/media/upload-url',
    {
      ...about('Mint an address to put a file to', { 200: MintedUpload }, { body: MintBody }),
      // Before the schema, which knows one code only.
      preValidation: (req, _reply, done) => done(bytesFault(req)),
    },
    req => mintUpload(deps, req.actor, req.body),
  );
  app.post(
    '/api/v1/media/upload-url/complete',
    {
      ...about('Make known what was put to a minted address', { 200: UploadResult }, { body: CompleteBody }),
      preValidation: (req, _reply, done) => done(mediaIdFault(req)),
    },
    (req, reply) => completeUpload(deps, req.actor, req.body, reply.closeSignal()),
  );
}

function bytesFault({ body }: FastifyRequest): AppError | undefined {
  const bytes = memberOf(body, 'bytes');
  if (!isRecord(body) || (Number.isSafeInteger(bytes) && Number(bytes) >= 1)) return undefined;
  return new AppError('invalid_bytes', 'bytes must be the length of the file, a positive whole number.');
}

function mediaIdFault({ body }: FastifyRequest): AppError | undefined {
  if (!isRecord(body) || typeof memberOf(body, 'mediaId') === 'string') return undefined;
  return new AppError(
    'invalid_media_id',
    'mediaId must be the one that POST /media/upload-url answered with.',
  );
}

function memberOf(body: unknown, name: string): unknown {
  return isRecord(body) ? body[name] : undefined;
}
