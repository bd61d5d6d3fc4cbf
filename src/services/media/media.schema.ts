// Defines the schemas of media requests and responses.
import { type Static, Type } from 'typebox';
import { MEDIA_ORIGINS } from '../../store/media/media.ts';
import { USE_KINDS } from '../../store/media/uses.ts';
import { Name } from '../accounts/names.ts';
import { PageQuery, PageSchema } from '../paging.ts';
import { Exact, Id, IdParams, Named, NamedExact, Nullable, PositiveInteger, Timestamp } from '../schema.ts';

/** The size and duration of a video or sound, which the service does not measure. */
const HINTS = {
  width: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 100_000, description: 'Of a video; images are measured' }),
  ),
  height: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 100_000, description: 'Of a video; images are measured' }),
  ),
  duration: Type.Optional(
    Type.Number({ exclusiveMinimum: 0, maximum: 86_400, description: 'Seconds, of a video or sound' }),
  ),
};
export const Hints = Exact(HINTS);
export type Hints = Static<typeof Hints>;

const InlineBody = NamedExact('InlineUpload', 'A file as a data URL, or its URL', {
  dataUrl: Type.Optional(Type.String({ description: '`data:<type>;base64,…`, up to 3 MB of file' })),
  url: Type.Optional(
    Type.String({ maxLength: 8192, description: 'A public URL; the service downloads and stores the file' }),
  ),
  ...HINTS,
});
export type InlineBody = Static<typeof InlineBody>;

/** Documents the multipart form. Its parts are read as they arrive, so no body is validated. */
const InlineForm = Type.Unsafe<unknown>({
  title: 'UploadForm',
  type: ['object', 'null'],
  required: ['file'],
  properties: {
    file: { type: 'string', format: 'binary', description: 'Up to 4 MB' },
    ...Hints.properties,
  },
});

/** A form or JSON. The type is that of the JSON body, because a form is read as it arrives. */
export const InlineUpload = Type.Unsafe<InlineBody>({
  content: {
    'multipart/form-data': { schema: InlineForm },
    'application/json': { schema: InlineBody },
  },
});

export const CreateUploadBody = NamedExact('MintRequest', 'The file to upload', {
  contentType: Type.String({ maxLength: 200 }),
  bytes: Type.Integer({ minimum: 1, description: 'The exact length of the file' }),
  filename: Type.String({ minLength: 1, maxLength: 1000 }),
});
export type CreateUploadBody = Static<typeof CreateUploadBody>;

export const CompleteUploadBody = NamedExact('CompleteRequest', 'The upload to complete', {
  mediaId: Type.String(),
  ...HINTS,
});
export type CompleteUploadBody = Static<typeof CompleteUploadBody>;

export const MediaParams = IdParams('Media ID, `med_…`');

export const ListMediaQuery = Type.Object({
  type: Type.Optional(Type.Enum(['image', 'video', 'audio'], { description: 'Only media of this kind' })),
  origin: Type.Optional(
    Type.Enum([...MEDIA_ORIGINS, 'all'], {
      description:
        'Uploads (default), results of runs, files that runs fetched, or previews; `all`: uploads and results',
    }),
  ),
  q: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 200,
      description:
        'Only media that match all of these words, in any order: in the name, the prompt, the workflow or the model. Words in double quotes are one text. At most eight',
    }),
  ),
  model: Type.Optional(Type.String({ maxLength: 200, description: 'Only results of this node type' })),
  userId: Type.Optional(
    PositiveInteger({ description: 'Only files that this user uploaded, or whose run this user started' }),
  ),
  fromApps: Type.Optional(
    Type.Boolean({
      default: false,
      description:
        'Only files that visitors of apps uploaded, and results of their runs. Otherwise these are listed only in collections and favorites',
    }),
  ),
  collectionId: Type.Optional(Id('Only media of this collection')),
  favorite: Type.Optional(Type.Boolean({ description: 'Whether to return only your favorites' })),
  createdAfter: Type.Optional(Type.String({ maxLength: 40, description: 'ISO 8601, inclusive' })),
  createdBefore: Type.Optional(Type.String({ maxLength: 40, description: 'ISO 8601, exclusive' })),
  ...PageQuery.properties,
});
export type ListMediaQuery = Static<typeof ListMediaQuery>;

export const RemoveMediaQuery = Type.Object({
  force: Type.Optional(Type.Boolean({ default: false, description: 'Delete it even if workflows use it' })),
});

const MediaIds = (description: string) =>
  Type.Array(Id('Media ID, `med_…`'), { minItems: 1, maxItems: 200, description });

export const ChangeMediaBody = NamedExact('MediaChanges', 'The fields of a media file to change', {
  name: Type.Optional(Name),
  isFavorite: Type.Optional(Type.Boolean({ description: 'Whether it is one of your favorites' })),
});
export type ChangeMediaBody = Static<typeof ChangeMediaBody>;

export const MarkMediaBody = NamedExact('MediaMark', 'The files to mark', {
  mediaIds: MediaIds('The files to mark'),
  isFavorite: Type.Boolean({ description: 'Whether they are your favorites' }),
});
export type MarkMediaBody = Static<typeof MarkMediaBody>;

export const DeleteManyMediaBody = NamedExact('MediaDeletion', 'The files to delete', {
  mediaIds: MediaIds('The files to delete'),
  force: Type.Optional(
    Type.Boolean({ default: false, description: 'Delete them even if workflows use them' }),
  ),
});
export type DeleteManyMediaBody = Static<typeof DeleteManyMediaBody>;

export const DeletedMedia = Named('DeletedMedia', 'The outcome of a deletion', {
  deleted: Type.Array(Type.String(), { description: 'The IDs of the deleted files' }),
  failed: Type.Array(Type.Object({ mediaId: Type.String(), code: Type.String(), message: Type.String() }), {
    description: 'The files that remain, with the error that `DELETE /media/{id}` would return',
  }),
});

export const DownloadMediaQuery = Type.Object({
  mediaIds: Type.Optional(
    Type.String({ maxLength: 8000, description: 'Up to 200 media IDs, separated by commas' }),
  ),
  collectionId: Type.Optional(Id('The collection whose files to download, instead of `mediaIds`')),
});
export type DownloadMediaQuery = Static<typeof DownloadMediaQuery>;

export const CollectionParams = IdParams('Collection ID, `col_…`');

export const ListCollectionsQuery = Type.Object({
  mediaId: Type.Optional(Id('Only collections that contain this file')),
  ...PageQuery.properties,
});
export type ListCollectionsQuery = Static<typeof ListCollectionsQuery>;

export const CreateCollectionBody = NamedExact('CollectionInput', 'The collection to create', {
  name: Name,
  mediaIds: Type.Optional(MediaIds('The first files of the collection')),
});
export type CreateCollectionBody = Static<typeof CreateCollectionBody>;

export const ChangeCollectionBody = NamedExact('CollectionChanges', 'The fields and files to change', {
  name: Type.Optional(Name),
  addMediaIds: Type.Optional(MediaIds('The files to add')),
  removeMediaIds: Type.Optional(MediaIds('The files to remove from the collection')),
});
export type ChangeCollectionBody = Static<typeof ChangeCollectionBody>;

export const Collection = Named('Collection', 'A collection of media', {
  id: Type.String(),
  name: Type.String(),
  mediaCount: Type.Integer(),
  teamId: Nullable(Type.String()),
  coverUrl: Nullable(
    Type.String({ format: 'uri', description: 'The newest image, or a still image of the newest video' }),
  ),
  createdAt: Timestamp,
  updatedAt: Timestamp,
});
export const CollectionPage = PageSchema(Collection);

const RESULT = {
  url: Type.String({ format: 'uri' }),
  mediaId: Type.String(),
  contentType: Type.String(),
  width: Nullable(Type.Integer({ description: 'Pixels; null if unknown' })),
  height: Nullable(Type.Integer({ description: 'Pixels; null if unknown' })),
  duration: Nullable(Type.Number({ description: 'Seconds; null for images and if unknown' })),
  bytes: Type.Integer({ description: 'Size of the stored file; an SVG is stored sanitized' }),
};

export const UploadResult = Named('Media', 'A stored file', {
  ...RESULT,
  warnings: Type.Optional(
    Type.Array(Type.String(), { description: 'What was removed from an SVG although it was visible' }),
  ),
});

export const MediaItem = Named('MediaItem', 'A media file with its name and owner', {
  ...RESULT,
  name: Type.String({ description: 'The name that users see. The URL keeps the first name' }),
  teamId: Nullable(Type.String()),
  userId: Type.Integer({ description: 'The user who uploaded it or started its run' }),
  userName: Nullable(Type.String()),
  isFavorite: Type.Boolean({ description: 'Whether it is one of your favorites' }),
  origin: Type.Enum(MEDIA_ORIGINS),
  posterUrl: Nullable(Type.String({ format: 'uri', description: 'A still image of a rendered video' })),
  prompt: Nullable(
    Type.String({
      description:
        'The prompt that a run used, up to 2,000 characters; null for members who may not read the run',
    }),
  ),
  workflow: Nullable(
    Type.Object(
      { id: Type.String(), name: Type.String() },
      { description: 'The workflow whose run created the file, if it is still in the workspace' },
    ),
  ),
  model: Nullable(
    Type.Object(
      { nodeType: Type.String(), label: Type.String() },
      { description: 'The model that created the file' },
    ),
  ),
  seed: Nullable(
    Type.Integer({
      description:
        'The seed from which the model made it: that of the run, or the one that the provider chose',
    }),
  ),
  executionId: Nullable(Type.String({ description: 'The run that created the file' })),
  createdAt: Type.String({ format: 'date-time' }),
});
export const MediaPage = PageSchema(MediaItem);

export const MediaUsePage = PageSchema(
  Named('MediaUse', 'A place where a media file is used', {
    kind: Type.Enum(USE_KINDS),
    workflow: Type.Object({ id: Type.String(), name: Type.String() }),
    nodes: Type.Array(Type.Object({ id: Type.String(), label: Type.String() }), {
      description: 'The nodes that use the file, in a workflow or its publication; at most 100',
    }),
    isLinked: Type.Boolean({ description: 'Whether the file is the `mediaId` of the workflow' }),
    slug: Nullable(Type.String({ description: 'Slug of a publication' })),
    isTemplate: Type.Boolean(),
    executionId: Nullable(Type.String()),
    isMaker: Type.Boolean({
      description: 'Whether the execution created the file. False if it used the file',
    }),
    createdAt: Type.String({ format: 'date-time' }),
  }),
);

export const MintedUpload = Named('MintedUpload', 'The URL and headers for an upload', {
  uploadUrl: Type.String({ format: 'uri', description: 'PUT the bytes here within 15 minutes' }),
  method: Type.Literal('PUT'),
  headers: Type.Record(Type.String(), Type.String(), {
    description: 'Content-Type, Content-Length and Cache-Control; send them exactly',
  }),
  mediaId: Type.String(),
  url: Type.String({
    format: 'uri',
    description: 'Where the file is served once the upload is complete',
  }),
  contentType: Type.String(),
  bytes: Type.Integer(),
  expiresAt: Type.String({ format: 'date-time' }),
});
