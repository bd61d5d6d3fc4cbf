// Registers the routes for media: upload (inline or presigned), list, change, download and delete; and collections.
import type { FastifyRequest } from 'fastify';
import { AppError } from '../../lib/errors.ts';
import { isRecord } from '../../lib/record.ts';
import { Success } from '../../services/accounts/account.schema.ts';
import type { Deps } from '../../services/deps.ts';
import { changeMedia, deleteManyMedia, deleteMedia, markMedia } from '../../services/media/change-media.ts';
import {
  changeCollection,
  createCollection,
  deleteCollection,
  listWorkspaceCollections,
  readCollection,
} from '../../services/media/collections.ts';
import { completeUpload } from '../../services/media/complete-upload.ts';
import { downloadMedia } from '../../services/media/download-media.ts';
import { listMedia, readMediaItem } from '../../services/media/list-media.ts';
import {
  ChangeCollectionBody,
  ChangeMediaBody,
  Collection,
  CollectionPage,
  CollectionParams,
  CompleteUploadBody,
  CreateCollectionBody,
  CreateUploadBody,
  DeletedMedia,
  DeleteManyMediaBody,
  DownloadMediaQuery,
  InlineUpload,
  ListCollectionsQuery,
  ListMediaQuery,
  MarkMediaBody,
  MediaItem,
  MediaPage,
  MediaParams,
  MediaUsePage,
  MintedUpload,
  RemoveMediaQuery,
  UploadResult,
} from '../../services/media/media.schema.ts';
import { readMediaUses } from '../../services/media/media-uses.ts';
import { createUpload } from '../../services/media/presigned-upload.ts';
import { uploadForm, uploadInline } from '../../services/media/upload-media.ts';
import { PageQuery } from '../../services/paging.ts';
import { Plain } from '../../services/schema.ts';
import type { Server } from '../deps.ts';
import { isForm, MAX_UPLOAD_BYTES, readForm, registerForms } from '../form.ts';
import { createDescriber, FILE_ERRORS, RESOURCE_ERRORS, setCreated, toSuccess } from '../route.ts';

const operation = createDescriber('Media');

export function registerMedia(server: Server, deps: Deps): void {
  registerPresignedUploads(server, deps);
  registerCollections(server, deps);
  server.get(
    '/api/v1/media',
    operation('listMedia', 'workflows:write', {
      summary: 'List the media of the active workspace',
      description:
        'Returns the media of your active workspace, newest first. Returns only uploads unless `origin` selects other files, and files of visitors of apps only with `fromApps`. Results of runs have their prompt, model and workflow.',
      querystring: ListMediaQuery,
      response: { 200: MediaPage },
    }),
    req => listMedia(deps, req.actor, req.query),
  );
  server.patch(
    '/api/v1/media',
    operation('markMedia', 'workflows:write', {
      summary: 'Mark media as favorites',
      description: 'Adds up to 200 media files to your favorites, or removes them.',
      errors: ['not_found', 'conflict'],
      body: MarkMediaBody,
      response: { 200: Success },
    }),
    req => toSuccess(markMedia(deps, req.actor, req.body)),
  );
  server.post(
    '/api/v1/media/delete',
    operation('deleteManyMedia', 'workflows:write', {
      summary: 'Delete several media files',
      description:
        'Deletes up to 200 media files. Files that workflows use are deleted only with `force`. Files that cannot be deleted are in `failed`.',
      body: DeleteManyMediaBody,
      response: { 200: DeletedMedia },
    }),
    req => deleteManyMedia(deps, req.actor, req.body),
  );
  server.get(
    '/api/v1/media/download',
    operation('downloadManyMedia', 'workflows:write', {
      summary: 'Download media as a ZIP archive',
      description:
        'Streams an archive with up to 200 media files, or with all files of a collection. The files can have 20 GB in total.',
      errors: [...RESOURCE_ERRORS, 'file_too_large'],
      querystring: DownloadMediaQuery,
      response: { 200: Plain('application/zip') },
      isUncacheable: true,
      isStreamed: true,
    }),
    async (req, reply) => {
      const archive = await downloadMedia(deps, req.actor, req.query, reply.closeSignal());
      return reply
        .header('content-type', 'application/zip')
        .header('content-disposition', `attachment; filename*=UTF-8''${encodeURIComponent(archive.name)}`)
        .send(archive.stream);
    },
  );
  server.get(
    '/api/v1/media/:id',
    operation('getMedia', 'workflows:write', {
      summary: 'Read a media file',
      description: 'Returns the URL, type, size and name of a media file.',
      params: MediaParams,
      response: { 200: MediaItem },
    }),
    req => readMediaItem(deps, req.actor, req.params.id),
  );
  server.get(
    '/api/v1/media/:id/uses',
    operation('listMediaUses', 'workflows:write', {
      summary: 'List where a media file is used',
      description:
        'Returns the workflows and nodes that use a media file, the publications that contain it, and the executions that created or reused it. Returns only those that you may read.',
      params: MediaParams,
      querystring: PageQuery,
      response: { 200: MediaUsePage },
    }),
    ({ actor, params, query }) => readMediaUses(deps, actor, params.id, query),
  );
  server.patch(
    '/api/v1/media/:id',
    operation('updateMedia', 'workflows:write', {
      summary: 'Rename a media file or mark it as a favorite',
      description:
        'Changes the name of a media file, or whether it is one of your favorites. The URL of the file stays the same.',
      errors: [...RESOURCE_ERRORS, 'conflict'],
      params: MediaParams,
      body: ChangeMediaBody,
      response: { 200: MediaItem },
    }),
    req => changeMedia(deps, req.actor, req.params.id, req.body),
  );
  server.delete(
    '/api/v1/media/:id',
    operation('deleteMedia', 'workflows:write', {
      summary: 'Delete a media file',
      description: 'Deletes a media file. A file that workflows use is deleted only with `force=true`.',
      errors: [...RESOURCE_ERRORS, 'media_in_use'],
      params: MediaParams,
      querystring: RemoveMediaQuery,
      response: { 200: Success },
    }),
    req => toSuccess(deleteMedia(deps, req.actor, req.params.id, req.query)),
  );
  // Only this scope accepts forms and bodies of this size.
  void server.register(async scope => registerInlineUpload(scope, deps));
}

function registerCollections(server: Server, deps: Deps): void {
  server.get(
    '/api/v1/collections',
    operation('listCollections', 'workflows:write', {
      summary: 'List the collections of the active workspace',
      description:
        'Returns the collections of media of your active workspace. List the files of a collection with `GET /media?collectionId=…&origin=all`.',
      querystring: ListCollectionsQuery,
      response: { 200: CollectionPage },
    }),
    req => listWorkspaceCollections(deps, req.actor, req.query),
  );
  server.post(
    '/api/v1/collections',
    operation('createCollection', 'workflows:write', {
      summary: 'Create a collection',
      description:
        'Creates a collection of media in your active workspace. The files are not copied, and are not deleted with their runs while a collection contains them.',
      errors: [...RESOURCE_ERRORS, 'conflict'],
      body: CreateCollectionBody,
      response: { 201: Collection },
    }),
    async (req, reply) => {
      const collection = await createCollection(deps, req.actor, req.body);
      return setCreated(deps, reply, `/api/v1/collections/${collection.id}`).send(collection);
    },
  );
  server.get(
    '/api/v1/collections/:id',
    operation('getCollection', 'workflows:write', {
      summary: 'Read a collection',
      description: 'Returns the name of a collection and the number of its files.',
      params: CollectionParams,
      response: { 200: Collection },
    }),
    req => readCollection(deps, req.actor, req.params.id),
  );
  server.patch(
    '/api/v1/collections/:id',
    operation('updateCollection', 'workflows:write', {
      summary: 'Change a collection',
      description: 'Changes the name of a collection, and adds and removes files.',
      errors: [...RESOURCE_ERRORS, 'conflict'],
      params: CollectionParams,
      body: ChangeCollectionBody,
      response: { 200: Collection },
    }),
    req => changeCollection(deps, req.actor, req.params.id, req.body),
  );
  server.delete(
    '/api/v1/collections/:id',
    operation('deleteCollection', 'workflows:write', {
      summary: 'Delete a collection',
      description: 'Deletes a collection. Its files remain.',
      params: CollectionParams,
      response: { 200: Success },
    }),
    req => toSuccess(deleteCollection(deps, req.actor, req.params.id)),
  );
}

async function registerInlineUpload(scope: Server, deps: Deps): Promise<void> {
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
      ...operation('uploadMedia', 'workflows:write', {
        summary: 'Upload a file as a form, a data URL or a URL to download',
        description:
          'Uploads a file as a multipart form (up to 4 MB), as a `dataUrl` (up to 3 MB), or from a `url` that the service downloads (up to 25 MB). The content must match its declared type. Images are measured. For a video or sound, send `width`, `height` and `duration`; otherwise they are null. SVG files are rebuilt from an allowlist of elements and attributes.',
        errors: [
          'forbidden',
          ...FILE_ERRORS,
          'fetch_failed',
          'invalid_svg',
          'svg_too_complex',
          'upload_busy',
        ],
        consumes: ['multipart/form-data', 'application/json'],
        body: InlineUpload,
        response: { 200: UploadResult },
      }),
    },
    (req, reply) => {
      const signal = reply.closeSignal();
      if (isForm(req)) return uploadForm(deps, req.actor, readForm(req), signal);
      return uploadInline(deps, req.actor, req.body, signal);
    },
  );
}

function registerPresignedUploads(server: Server, deps: Deps): void {
  server.post(
    '/api/v1/media/upload-url',
    {
      ...operation('mintUpload', 'workflows:write', {
        summary: 'Create an upload URL',
        description:
          'Creates an upload URL for a larger file. `PUT` the bytes to `uploadUrl` with exactly the returned `headers` within 15 minutes, then complete the upload.',
        errors: [
          'forbidden',
          'invalid_bytes',
          'file_too_large',
          'storage_quota_exceeded',
          'unsupported_type',
          'upload_busy',
          'upload_budget_exceeded',
        ],
        body: CreateUploadBody,
        response: { 200: MintedUpload },
        links: {
          200: {
            complete: {
              operationId: 'completeUpload',
              description: 'Complete the upload after the bytes were sent to uploadUrl',
              requestBody: { mediaId: '$response.body#/mediaId' },
            },
          },
        },
      }),
      // Runs before the schema, whose faults all have the code `invalid_request`.
      preValidation: (req, _reply, done) => done(findBytesError(req)),
    },
    req => createUpload(deps, req.actor, req.body),
  );
  server.post(
    '/api/v1/media/upload-url/complete',
    {
      ...operation('completeUpload', 'workflows:write', {
        summary: 'Complete an upload',
        description: 'Checks the uploaded bytes and creates a media file from them. Can safely be repeated.',
        errors: [...FILE_ERRORS, 'invalid_media_id', 'upload_not_found', 'upload_busy'],
        body: CompleteUploadBody,
        response: { 200: UploadResult },
      }),
      preValidation: (req, _reply, done) => done(findMediaIdError(req)),
    },
    (req, reply) => completeUpload(deps, req.actor, req.body, reply.closeSignal()),
  );
}

function findBytesError({ body }: FastifyRequest): AppError | undefined {
  if (!isRecord(body) || (Number.isSafeInteger(body.bytes) && Number(body.bytes) >= 1)) return undefined;
  return new AppError('invalid_bytes', 'bytes must be the length of the file, a positive integer.');
}

function findMediaIdError({ body }: FastifyRequest): AppError | undefined {
  if (!isRecord(body) || typeof body.mediaId === 'string') return undefined;
  return new AppError(
    'invalid_media_id',
    'mediaId must be the mediaId that POST /media/upload-url returned.',
  );
}
