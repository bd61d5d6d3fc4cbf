// Defines the request and response schemas of the video renderer.
import { type Static, Type } from 'typebox';
import { RENDER_STATUSES } from '../../store/renders.ts';
import { IdParams, Named, NamedExact, Nullable, Timestamp } from '../schema.ts';

export const VideoTemplateParams = Type.Object({
  id: Type.String({ maxLength: 80, description: 'Template ID' }),
});

export const ContractQuery = Type.Object({
  include: Type.Optional(
    Type.Enum(['all', 'doc', 'schema'], {
      default: 'all',
      description: 'Which part of the large body to return',
    }),
  ),
});

export const ContractResponse = Named('SceneGraphContract', 'How to author a video', {
  data: Type.Object({
    mode: Type.Literal('sceneGraph'),
    nodeType: Type.Literal('video:renderer'),
    configPath: Type.Literal('config.props.sceneGraph'),
    doc: Type.Optional(Type.String({ description: 'How to write a scene graph' })),
    jsonSchema: Type.Optional(
      Type.Object({}, { additionalProperties: true, description: 'JSON Schema 2020-12' }),
    ),
    readerNote: Type.String(),
    scopeNote: Type.String(),
  }),
});

const Props = Type.Unsafe<Record<string, unknown>>({
  type: 'object',
  maxProperties: 100,
  description: "Merged over the template's defaultProps",
});

export const PreviewBody = NamedExact(
  'PreviewRequest',
  'What to render',
  {
    sceneGraph: Type.Optional(Type.Unknown({ description: 'As GET /renderer/scene-graph describes' })),
    templateId: Type.Optional(Type.String({ maxLength: 80 })),
    props: Type.Optional(Props),
    values: Type.Optional(
      Type.Unsafe<Record<string, unknown>>({
        type: 'object',
        maxProperties: 100,
        description:
          'By port ID, the values of connected inputs: text, a number or JSON; for media a URL, {url} or {mediaId}. A port without a value has its default, or a placeholder',
      }),
    ),
    workflowId: Type.Optional(Type.String({ maxLength: 64 })),
    nodeId: Type.Optional(Type.String({ maxLength: 200 })),
    frames: Type.Optional(
      Type.Array(Type.Integer({ minimum: 0, maximum: 432_000 }), {
        minItems: 1,
        maxItems: 8,
        description: 'Counted from 0. Default: the frame of timeSeconds, else the middle',
      }),
    ),
    timeSeconds: Type.Optional(Type.Number({ minimum: 0, maximum: 86_400 })),
    format: Type.Optional(
      Type.String({ maxLength: 10, description: 'png (default), jpeg or webp for stills, mp4 for a clip' }),
    ),
    scale: Type.Optional(Type.Number({ minimum: 0.1, maximum: 1 })),
    keep: Type.Optional(
      Type.Boolean({
        default: true,
        description:
          'False to get each still as a data URL without storing it, for previews that update on each change',
      }),
    ),
    range: Type.Optional(
      Type.Array(Type.Integer({ minimum: 0 }), {
        minItems: 2,
        maxItems: 2,
        description: 'Frames of the clip: [from, to)',
      }),
    ),
  },
  {
    examples: [
      { templateId: 'quote-card', props: { quote: 'Less.' }, timeSeconds: 2, format: 'webp', scale: 0.5 },
      {
        sceneGraph: {
          fps: 30,
          width: 1080,
          height: 1080,
          scenes: [{ duration: 3, background: '#15100d', elements: [{ type: 'text', text: 'Hello' }] }],
        },
        format: 'mp4',
        range: [0, 45],
      },
    ],
  },
);
export type PreviewBody = Static<typeof PreviewBody>;

const Frame = Named('PreviewFrame', 'A still', {
  frame: Type.Integer(),
  url: Type.String({ description: 'URL of the media; a data URL if `keep` is false' }),
  width: Type.Integer(),
  height: Type.Integer(),
});
export const PreviewResponse = Named('Preview', 'Stills of a video', {
  data: Type.Object({
    frames: Type.Array(Frame),
    fps: Type.Integer(),
    durationInFrames: Type.Integer(),
    warnings: Type.Array(Type.String({ description: 'What could not be drawn, by JSON pointer' })),
  }),
});

export const RenderParams = IdParams('Render ID, `rnd_…`');

const RenderUrls = Type.Object({ self: Type.String(), cancel: Type.String() });
export const AcceptedRender = Named('AcceptedRender', 'A clip that will be rendered', {
  data: Type.Object({ renderId: Type.String(), status: Type.Literal('QUEUED'), urls: RenderUrls }),
});

const RenderedClip = Named('RenderedClip', 'Properties of a rendered clip', {
  width: Type.Integer(),
  height: Type.Integer(),
  duration: Type.Number({ description: 'Seconds' }),
  fps: Type.Number(),
  frameCount: Type.Integer(),
  backend: Type.String({ description: 'The codecs that made it: ffmpeg or codec-host' }),
  warnings: Type.Array(
    Type.String({ description: 'JSON pointers to scene nodes that could not be drawn or played' }),
  ),
});
const RenderFailure = Named('RenderFailure', 'Why a clip was not rendered', {
  code: Type.String(),
  message: Type.String(),
  issues: Type.Optional(
    Type.Array(
      Type.Object({ path: Type.Optional(Type.String()), code: Type.String(), message: Type.String() }),
    ),
  ),
});
/** The stored JSON of a clip. */
export type RenderedClip = Static<typeof RenderedClip>;
export type RenderFailure = Static<typeof RenderFailure>;
export const RenderResponse = Named('RenderStatus', 'The status of a clip', {
  data: Type.Object({
    renderId: Type.String(),
    status: Type.Enum(RENDER_STATUSES),
    progress: Type.Number({ minimum: 0, maximum: 1 }),
    range: Type.Array(Type.Integer(), { description: 'Frames [from, to)' }),
    url: Nullable(Type.String({ description: 'The clip, MP4' })),
    posterUrl: Nullable(Type.String({ description: 'The poster, JPEG' })),
    result: Nullable(RenderedClip),
    error: Nullable(RenderFailure),
    createdAt: Timestamp,
    startedAt: Nullable(Timestamp),
    finishedAt: Nullable(Timestamp),
    urls: RenderUrls,
  }),
});

const InputMapping = Named('InputMapping', 'A port of a template, and the prop it fills', {
  propPath: Type.String({ description: 'Path of the value in the props' }),
  portId: Type.String({ description: 'Edges target it as in-<portId>' }),
  portLabel: Type.String(),
  portType: Type.Enum(['TEXT', 'IMAGE', 'VIDEO', 'AUDIO', 'JSON', 'NUMBER']),
  required: Type.Boolean(),
  description: Type.Optional(Type.String({ description: 'What the value is for' })),
});
const PropText = Named('PropText', 'A prop of a template that no port fills', {
  label: Type.String(),
  description: Type.String(),
});
const TemplateObject = Named('VideoTemplate', 'A composition with slots', {
  id: Type.String(),
  label: Type.String(),
  category: Type.String(),
  compositionId: Type.String(),
  description: Type.String(),
  thumbnail: Type.String({ description: 'URL of an image' }),
  fps: Type.Integer(),
  width: Type.Integer(),
  height: Type.Integer(),
  durationInFrames: Type.Integer(),
  defaultProps: Type.Unknown(),
  props: Type.Record(Type.String(), PropText, {
    description: 'Label and description of each prop without a port',
  }),
  inputMappings: Type.Array(InputMapping),
});
export const TemplateResponse = Named('VideoTemplateResponse', 'A composition', { data: TemplateObject });
export const TemplateListResponse = Named('VideoTemplateList', 'The compositions that an account may use', {
  data: Type.Array(TemplateObject),
});
