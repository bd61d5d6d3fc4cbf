// Routes of media: inline and presigned uploads, listing, reading and deleting.
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
    about('List the media of the active workspace', { 200: MediaPage }, { querystring: ListMediaQuery }),
    req => listMedia(deps, req.actor, req.query),
  );
  app.get('/api/v1/media/:id', about('Read a media file', { 200: MediaItem }, { params: MediaParams }), req =>
    readMediaItem(deps, req.actor, req.params.id),
  );
  app.get(
    '/api/v1/media/:id/uses',
    about(
      'List the uses of a media file',
      { 200: MediaUsePage },
      { params: MediaParams, querystring: PageQuery },
    ),
    ({ actor, params, query }) => listUses(deps, actor, params.id, query),
  );
  app.delete(
    '/api/v1/media/:id',
    about('Delete a media file', { 200: Success }, { params: MediaParams, querystring: RemoveMediaQuery }),
    req => done(removeMedia(deps, req.actor, req.params.id, req.query)),
  );
  // Only this scope accepts forms and bodies of this size.
  void app.register(async scope => registerInline(scope, deps));
}

async function registerInline(scope: App, deps: Deps): Promise<void> {
  registerForms(scope);
  scope.setErrorHandler(err => {
    throw isRecord(err) && err.code === 'FST_ERR_CTP_BODY_TOO_LARGE'
      ? new AppError(
          'file_too_large',
          'The file is too large. The limit is 3 MB for dataUrl and 4 MB for multipart forms.',
        )
      : err;
  });
  scope.post(
    '/api/v1/media/upload',
    {
      bodyLimit: MAX_UPLOAD_BYTES,
      ...about(
        'Upload a file as a form, a data URL or a URL to fetch',
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
      ...about('Create an upload URL', { 200: MintedUpload }, { body: MintBody }),
      // Runs before the schema, whose faults all have the code `invalid_request`.
      preValidation: (req, _reply, done) => done(checkBytes(req)),
    },
    req => mintUpload(deps, req.actor, req.body),
  );
  app.post(
    '/api/v1/media/upload-url/complete',
    {
      ...about('Complete an upload', { 200: UploadResult }, { body: CompleteBody }),
      preValidation: (req, _reply, done) => done(checkMediaId(req)),
    },
    (req, reply) => completeUpload(deps, req.actor, req.body, reply.closeSignal()),
  );
}

function checkBytes({ body }: FastifyRequest): AppError | undefined {
  const bytes = memberOf(body, 'bytes');
  if (!isRecord(body) || (Number.isSafeInteger(bytes) && Number(bytes) >= 1)) return undefined;
  return new AppError('invalid_bytes', 'bytes must be the length of the file, a positive integer.');
}

function checkMediaId({ body }: FastifyRequest): AppError | undefined {
  if (!isRecord(body) || typeof memberOf(body, 'mediaId') === 'string') return undefined;
  return new AppError(
    'invalid_media_id',
    'mediaId must be the mediaId that POST /media/upload-url returned.',
  );
}

function memberOf(body: unknown, name: string): unknown {
  return isRecord(body) ? body[name] : undefined;
}
