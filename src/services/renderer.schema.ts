// The forms of the video renderer's requests and answers.
import { type Static, Type } from 'typebox';
import { Answer } from './workflow.schema.ts';

const exact = { additionalProperties: false };

export const TemplateParams = Type.Object({ id: Type.String({ maxLength: 80, description: 'Template id' }) });

export const ContractQuery = Type.Object({
  include: Type.Optional(
    Type.String({
      maxLength: 10,
      description: 'doc, schema or all (default): one half of the large body, or both',
    }),
  ),
});

export const ContractAnswer = Answer(
  Type.Object({
    data: Type.Object({
      mode: Type.Literal('sceneGraph'),
      nodeType: Type.Literal('video:renderer'),
      configPath: Type.Literal('config.props.sceneGraph'),
      doc: Type.Optional(Type.String({ description: 'How to author a scene graph' })),
      jsonSchema: Type.Optional(
        Type.Object({}, { additionalProperties: true, description: 'JSON Schema 2020-12' }),
      ),
      readerNote: Type.String(),
      scopeNote: Type.String(),
    }),
  }),
);

const Props = Type.Unsafe<Record<string, unknown>>({
  type: 'object',
  maxProperties: 100,
  description: "Over the template's defaultProps",
});

export const PreviewBody = Type.Object(
  {
    sceneGraph: Type.Optional(Type.Unknown({ description: 'As GET /renderer/scene-graph describes' })),
    templateId: Type.Optional(Type.String({ maxLength: 80 })),
    props: Type.Optional(Props),
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
      Type.String({ maxLength: 10, description: 'png (default), jpeg or webp; mp4 asks for a clip' }),
    ),
    scale: Type.Optional(Type.Number({ minimum: 0.1, maximum: 1 })),
    range: Type.Optional(
      Type.Array(Type.Integer({ minimum: 0 }), {
        minItems: 2,
        maxItems: 2,
        description: 'Of a clip: [from, to)',
      }),
    ),
  },
  exact,
);
export type PreviewBody = Static<typeof PreviewBody>;

const Frame = Type.Object({
  frame: Type.Integer(),
  url: Type.String(),
  width: Type.Integer(),
  height: Type.Integer(),
});
export const PreviewAnswer = Answer(
  Type.Object({
    data: Type.Object({
      frames: Type.Array(Frame),
      fps: Type.Integer(),
      durationInFrames: Type.Integer(),
      warnings: Type.Array(Type.String({ description: 'What could not be drawn, by JSON pointer' })),
    }),
  }),
);

const InputMapping = Type.Object({
  propPath: Type.String({ description: 'Where the value lands in the props' }),
  portId: Type.String({ description: 'An edge targets it as in-<portId>' }),
  portLabel: Type.String(),
  portType: Type.Enum(['TEXT', 'IMAGE', 'VIDEO', 'AUDIO', 'JSON', 'NUMBER']),
  required: Type.Boolean(),
});
const TemplateObject = Type.Object({
  id: Type.String(),
  label: Type.String(),
  category: Type.String(),
  compositionId: Type.String(),
  description: Type.String(),
  thumbnail: Type.String({ description: 'Address of a picture' }),
  fps: Type.Integer(),
  width: Type.Integer(),
  height: Type.Integer(),
  durationInFrames: Type.Integer(),
  defaultProps: Type.Unknown(),
  inputMappings: Type.Array(InputMapping),
});
export const TemplateAnswer = Answer(Type.Object({ data: TemplateObject }));
export const TemplateListAnswer = Answer(Type.Object({ data: Type.Array(TemplateObject) }));
