// The form of the operator's models over HTTP.
import { Type } from 'typebox';
import { Answer } from '../workflows/workflow.schema.ts';

const Revision = Type.String({ maxLength: 100, description: 'Of the state that the models were read in' });

export const InstalledModelsAnswer = Answer(
  Type.Object({
    revision: Revision,
    models: Type.Array(Type.Object({}, { additionalProperties: true })),
    problems: Type.Array(Type.String({ description: 'Why a stored model is left out' })),
  }),
);

export const WriteModelsBody = Type.Object(
  {
    revision: Revision,
    models: Type.Array(Type.Object({}, { additionalProperties: true }), {
      maxItems: 5_000,
      description:
        'Added, or put in place of those of the same nodeType; a model is described in docs/models.md',
    }),
  },
  { additionalProperties: false },
);
